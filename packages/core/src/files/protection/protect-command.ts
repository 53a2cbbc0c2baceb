import { statSync } from 'node:fs';
import { relative, resolve } from 'node:path';

import { protectFile } from './loaded-files.ts';

/** Files that programs execute, and files that configure what they execute. */
const code = /\.(?:[cm]?[jt]sx?|py|sh|bash|zsh|fish|rb|pl|php|lua|r|jar|wasm|ps1|cmd|bat|exe)$/i;
const settings = /\.(?:json[c5]?|ya?ml|toml|ini|conf)$/i;

/**
 * Protects the programs and settings that a command names, in or below the `directory` in which it starts: an agent
 * that may execute the command must not change what it does. Scripts that do not exist yet count, too. `command` is a
 * line for a shell, or words. On Windows, a file is recognized as executable by its name alone, because files have no
 * such mode there.
 */
export function protectCommand(
  command: string | readonly string[],
  directory: string,
  platform: NodeJS.Platform = process.platform,
): void {
  const words = typeof command === 'string' ? wordsOf(command) : command;
  const named = words.flatMap(valuesIn);
  const isOf = (kind: 'isFile' | 'isDirectory', path: string): boolean =>
    statSync(path, { throwIfNoEntry: false })?.[kind]() === true;
  // Names may be relative to a directory that the command enters: `cd hooks && ./check.sh`.
  const folders = named.map((word) => resolve(directory, word)).filter((path) => isOf('isDirectory', path));
  for (const word of named)
    for (const folder of new Set([resolve(directory), ...folders])) {
      const path = resolve(folder, word);
      const inside = relative(directory, path);
      const isCode = code.test(word) || (platform !== 'win32' && isOf('isFile', path) && isExecutable(path));
      if (inside === '' || /^\.\.(?:[/\\]|$)/.test(inside) || !(isCode || settings.test(word))) continue;
      // A program may write its own settings.
      protectFile(path, isCode ? 'source' : 'state');
    }
}

/** Returns a word, and the value in it: `--require=./setup.js`. */
function valuesIn(word: string): readonly string[] {
  const at = word.indexOf('=');
  return at === -1 ? [word] : [word, word.slice(at + 1)];
}

function isExecutable(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o111) > 0;
}

/** Returns the words of a line for a shell, without quotes and operators. */
function wordsOf(line: string): readonly string[] {
  const words = line.match(/(?:"[^"]*"|'[^']*'|\\.|[^\s;|&<>()"'\\`])+/g) ?? [];
  return words.map((word) => word.replaceAll(/["']/g, '').replaceAll(/\\(.)/g, '$1'));
}
