import { basename } from 'node:path';

import type { Words } from '../line/words.ts';
import { isFed, isShell, launches, takesLines } from './runs-others.ts';

/** The commands that a command executes, as far as its words show them. */
export interface Inner {
  readonly commands: readonly Words[];
  /** The lines for a shell; undefined stands for one that only the shell knows. */
  readonly lines: Words;
  /** True if any of its words may begin a command. */
  readonly isAnywhere: boolean;
  /** True if it executes commands that it reads from its input. */
  readonly isFed: boolean;
}

/** Programs whose words are read more closely than those of other programs that execute commands. */
const executing: ReadonlySet<string> = new Set(['xargs', 'parallel', 'find', 'fd', 'fdfind', 'git']);

const nothing: Inner = { commands: [], lines: [], isAnywhere: false, isFed: false };

/** Returns the commands and lines that a command executes. */
export function innerCommands(words: Words): Inner {
  const [path = '', ...args] = words;
  const program = basename(path);
  if (isShell(program)) return ofShell(args);
  if (program === '.' || program === 'source') return ofScript(args[0]);
  if (program === 'xargs') return { ...nothing, commands: ofXargs(args) };
  if (program === 'find') return { ...nothing, commands: afterEach(/^-(?:exec|ok)(?:dir)?$/, args) };
  if (program === 'fd' || program === 'fdfind')
    return { ...nothing, commands: afterEach(/^(?:-[^-]*[xX]|--exec(?:-batch)?)$/, args) };
  const lines = program === 'git' ? ofGit(args) : [];
  if (!launches(program, args) && !isFed(program, args)) return { ...nothing, lines };
  const next = args.findIndex((word) => word !== undefined && isOfAKind(basename(word)));
  return {
    commands: next === -1 ? [] : [args.slice(next)],
    lines: takesLines(words) ? [...lines, ...linesIn(program, args)] : lines,
    isAnywhere: true,
    isFed: isFed(program, args),
  };
}

function isOfAKind(program: string): boolean {
  return isShell(program) || executing.has(program);
}

/** Returns the commands of a shell: the line after `-c`, a script, or else its input. */
function ofShell(args: Words): Inner {
  let isLine = false;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined) return isLine ? { ...nothing, lines: [word] } : { ...nothing, isFed: true };
    if (!/^[-+]./.test(word)) return isLine ? { ...nothing, lines: [word] } : ofScript(word);
    if (/^-[a-zA-Z]*s/.test(word)) return { ...nothing, isFed: true };
    if (/^-[a-zA-Z]*c/.test(word)) isLine = true;
    if (/^(?:[-+]\w*[oO]|--rcfile|--init-file)$/.test(word)) at += 1;
  }
  return { ...nothing, isFed: true };
}

function ofScript(path: string | undefined): Inner {
  return { ...nothing, isFed: path === undefined || /^(?:-$|\/dev\/)/.test(path) };
}

/** Returns the command of `xargs`. Its input takes the place of a string, or comes after the last word. */
function ofXargs(args: Words): readonly Words[] {
  let place: string | undefined;
  let at = 0;
  for (; at < args.length; at += 1) {
    const word = args[at];
    if (word?.startsWith('-') !== true) break;
    const [, own, value] = /^-(?:(I|i)|-replace=?)(.*)$/s.exec(word) ?? [];
    if (value !== undefined) place = value !== '' ? value : own === 'I' ? args[at + 1] : '{}';
    if (/^-[0rtpxo]*[InPLsdEa]$/.test(word)) at += 1;
  }
  const command = args.slice(at);
  if (command.length === 0) return [];
  const filled = withUnknown(place ?? '{}', command);
  return [place === undefined ? [...filled, undefined] : filled];
}

/** Returns the commands after options such as `-exec`, up to `;` or `+`. */
function afterEach(option: RegExp, args: Words): readonly Words[] {
  const commands: Words[] = [];
  for (let at = 0; at < args.length; at += 1) {
    if (!option.test(args[at] ?? '')) continue;
    const end = args.findIndex((word, index) => index > at && (word === ';' || word === '+'));
    commands.push(withUnknown('{', args.slice(at + 1, end === -1 ? args.length : end)));
    if (end === -1) break;
    at = end;
  }
  return commands;
}

/** Returns the words, of which those with this string are unknown, because the program replaces it. */
function withUnknown(place: string, words: Words): Words {
  return words.map((word) => (word?.includes(place) === true ? undefined : word));
}

/**
 * Returns the lines for a shell in arguments of git: `-c alias.x='!line'`, `-c core.pager=line`, `rebase -x line`,
 * `config alias.x '!line'`.
 */
function ofGit(args: Words): Words {
  const lines: (string | undefined)[] = [];
  for (const [index, word] of args.entries()) {
    const before = args[index - 1];
    if (before === '-c' && (word === undefined || word.includes('='))) lines.push(configured(word));
    else if (before !== undefined && /^(?:-x|--exec|--extcmd|--upload-pack|--receive-pack)$/.test(before))
      lines.push(word);
    else if (word !== undefined) {
      const [, line] = /^(?:!|-[xO]|--(?:exec|extcmd|open-files\S*?|\w+-pack)=)(.+)$/s.exec(word) ?? [];
      if (line !== undefined) lines.push(line);
    }
  }
  return lines;
}

function configured(setting: string | undefined): string | undefined {
  const [, alias, line] = /^(?:(alias\.[^=]*)|[^=]*)=(.*)$/s.exec(setting ?? '') ?? [];
  if (line?.startsWith('!') === true) return line.slice(1);
  return alias === undefined || line === undefined ? line : `git ${line}`;
}

/** Returns the arguments that may be lines of their own: `env -S'a b'`, `eval a b`, `alias x='a b'`. */
function linesIn(program: string, args: Words): readonly string[] {
  const known = args.flatMap((word) => {
    const attached = /^(?:-[a-zA-Z]*S|--s[a-z-]*=)(?<line>.+)$/s.exec(word ?? '')?.groups?.line;
    return word === undefined ? [] : attached === undefined ? [word] : [word, attached];
  });
  const joined = program === 'eval' ? [known.join(' ')] : [];
  const values = known.flatMap((word) => {
    const value = /^[\w.-]+=(?<value>.+)$/s.exec(word)?.groups?.value;
    return value === undefined ? [word] : [word, value];
  });
  return [...joined, ...values.filter((word) => /[^\w./:@%+,-]/.test(word) || program === 'alias')];
}
