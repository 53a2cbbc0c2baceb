import { readdirSync, type Dirent } from 'node:fs';
import { join, resolve } from 'node:path';

import { fitsPattern } from '@shallot/core/plugin';

import type { PlainCommand, PlainLine } from '../line/plain-line.ts';
import { mayWalk, readerOf } from '../presets/preset.ts';
import { followsLinks, targetOf } from './follows-links.ts';
import { isMove } from './move.ts';
import { isSecretPath, opened, secretName } from './names-secret.ts';
import { wrappedCommand } from './wrapped-command.ts';

/** Programs that only name what they find. */
const naming: ReadonlySet<string> = new Set(['ls', 'du', 'tree', 'fd', 'fdfind']);

/** Programs that leave out hidden files unless one of these options says otherwise. */
const skipping: Readonly<Record<string, RegExp>> = {
  rg: /^(?:--hidden|--unrestricted|-[a-zA-Z]*[u.])/,
  ag: /^(?:--hidden|--unrestricted|--all-types|-[a-zA-Z]*[ua])/,
};

/** Examples of files in directories with keys, to which the patterns of a search are applied. */
const examples = ['config', 'HEAD', 'id_rsa', 'known_hosts', 'a.json', 'a.yaml', 'a.db'];

/** The most entries that are examined. More may hold anything. */
const maxEntries = 20_000;

/**
 * Returns true if a command of a line prints the content of files below a directory that has files with keys, which
 * the tools for files do not read; or if it follows a link to one. `root` is the directory in which the line starts.
 */
export function walksOverSecrets({ commands, inputs }: PlainLine, root: string): boolean {
  const moves = commands
    .filter(isMove)
    .flatMap(([, to]) => (to === undefined ? [] : [resolve(root, to.text)]));
  // A `cd` in brackets, or after a command that fails, does not last, so all directories count.
  const places = [...new Set([root, ...moves])];
  const executed = commands.filter((command) => !isMove(command)).map(wrappedCommand);
  const operands = executed.filter(([program]) => !naming.has(program?.text ?? '')).flatMap(opened);
  return (
    followsLinks({ inputs }, operands, places) ||
    executed.some((command) => printsWalked(command) && isOver(command, places))
  );
}

function printsWalked(command: PlainCommand): boolean {
  const [program, ...args] = command.map(({ text }) => text);
  // A program that no preset knows may do anything, and has a rule of its own.
  const isKnown = readerOf(command) !== undefined || program === 'ugrep';
  if (program === undefined || naming.has(program) || !isKnown || !mayWalk(command)) return false;
  if (program === 'find') return args.includes('-exec');
  const option = Object.hasOwn(skipping, program) ? skipping[program] : undefined;
  return option === undefined || args.some((word) => option.test(word));
}

function isOver([program, ...words]: PlainCommand, places: readonly string[]): boolean {
  const args = words.map(({ text }) => text);
  const filter = filterOf(args);
  const end = program?.text === 'find' ? args.findIndex((word) => /^[-(!]/.test(word)) : -1;
  const operands = (end === -1 ? args : args.slice(0, end)).filter((word) => !word.startsWith('-'));
  const named = operands.length === 0 ? ['.'] : ['.', ...operands];
  // The first operand may be a pattern; without a directory, the search begins where the line is.
  const from = operands.length > 1 || program?.text === 'find' ? operands : named;
  return places.some((place) => from.some((word) => holdsSecrets(resolve(place, word), filter)));
}

/** The names to which a search is limited, and those that it leaves out. */
interface Filter {
  readonly only: readonly string[];
  readonly not: readonly string[];
}

function filterOf(args: readonly string[]): Filter {
  // An alternative lifts the limit: `-name a -o -type f` finds all files.
  if (args.some((word) => /^(?:-o|-or|,)$/.test(word))) return { only: [], not: [] };
  const only: string[] = [];
  const not: string[] = [];
  for (const [at, word] of args.entries()) {
    const [, option = '', attached] =
      /^--?((?:in|ex)clude(?:-dir)?|i?name|glob|g)(?:=(.*))?$/s.exec(word) ?? [];
    const value = attached ?? args[at + 1] ?? '';
    const isLeftOut =
      option.startsWith('ex') || (/name/.test(option) && /^(?:!|-not)$/.test(args[at - 1] ?? ''));
    if (isLeftOut) not.push(value);
    else if (option !== '') only.push(value);
    const [, path] = /^(?:\.\/|\*\/)?([^/*]+)\/\*$/.exec(args[at + 1] ?? '') ?? [];
    if (/^-i?path$/.test(word) && /^(?:!|-not)$/.test(args[at - 1] ?? '') && path !== undefined)
      not.push(path);
  }
  return { only, not };
}

function holdsSecrets(start: string, { only, not }: Filter): boolean {
  const isShown = (name: string, entry: Dirent): boolean => {
    if (not.some((pattern) => fitsPattern(pattern, name))) return false;
    const shown = entry.isDirectory() ? examples : [name];
    return only.length === 0 || shown.some((each) => only.some((pattern) => fitsPattern(pattern, each)));
  };
  const open = [start];
  let count = 0;
  for (let directory = open.pop(); directory !== undefined; directory = open.pop()) {
    for (const entry of entriesIn(directory)) {
      count += 1;
      if (count > maxEntries) return true;
      const { name } = entry;
      if (secretName.test(name) && isShown(name, entry)) return true;
      if (entry.isSymbolicLink() && isSecretPath(targetOf(join(directory, name)) ?? '')) return true;
      if (entry.isDirectory() && name !== 'node_modules' && !secretName.test(name))
        open.push(join(directory, name));
    }
  }
  return false;
}

function entriesIn(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    // This is a file, or a directory that the command cannot read either.
    return [];
  }
}
