import { existsSync, readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';

import { fitsPattern } from '@shallot/core/plugin';

import type { PlainCommand, PlainLine } from '../line/plain-line.ts';
import type { PlainWord } from '../line/plain-word.ts';
import { compared, entered } from '../presets/git-reader.ts';
import { mayWalk, readerOf } from '../presets/preset.ts';
import { readArguments } from '../presets/reader.ts';
import { followsLinks, pathsOf, targetOf } from './follows-links.ts';
import { isMove, placesAfter } from './move.ts';
import { isSecretPath, opened, secretName } from './names-secret.ts';
import { wrappedCommand } from './wrapped-command.ts';

/** Programs that only name what they find. */
const naming: ReadonlySet<string> = new Set(['ls', 'du', 'tree', 'fd', 'fdfind']);

/** Programs that leave out hidden files unless one of these options says otherwise: a glob does so, too. */
const skipping: Readonly<Record<string, RegExp>> = {
  rg: /^(?:--hidden|--unrestricted|--i?glob|-[a-zA-Z]*[ug.])/,
  ag: /^(?:--hidden|--unrestricted|--all-types|-[a-zA-Z]*[ua])/,
};

/** Examples of files in directories with keys, to which the patterns of a search are applied. */
const examples = ['config', 'HEAD', 'id_rsa', 'known_hosts', 'a.json', 'a.yaml', 'a.db'];

/** The most entries that are examined. If there are more, the rest could be anything. */
const maxEntries = 20_000;

/**
 * Returns true if a command of a line prints the content of files below a directory that has files with keys, which
 * the tools for files do not read; or if it follows a link to one. `root` is the directory in which the line starts.
 */
export function walksOverSecrets({ commands, inputs }: PlainLine, root: string): boolean {
  const executed = commands.filter((command) => !isMove(command)).map(wrappedCommand);
  const ofGit = executed.filter(([program]) => program?.text === 'git');
  const moves = [
    ...commands.filter(isMove).flatMap((move) => move.slice(1)),
    ...ofGit.flatMap((command) => entered(command.slice(1))),
  ];
  const places = placesAfter(moves, root, (place, move) =>
    pathsOf(place, move)?.filter((path) => existsSync(path)),
  );
  if (places === undefined) return true;
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

function isOver(command: PlainCommand, places: readonly string[]): boolean {
  const [program, ...words] = command;
  const filter = filterOf(
    words.map(({ text }) => text),
    program?.text === 'find',
  );
  const starts = startsOf(command);
  return places.some((place) => {
    const paths = starts.map((word) => pathsOf(place, word));
    if (paths.includes(undefined)) return true;
    // If one of its two operands does not exist, git does not compare directories.
    if (
      program?.text === 'git' &&
      paths.length === 2 &&
      !paths.every((each) => each?.some((path) => existsSync(path)))
    )
      return false;
    return paths.flatMap((each) => each ?? []).some((start) => holdsSecrets(start, filter));
  });
}

type Start = Pick<PlainWord, 'text' | 'isOpen'>;

/** Returns the words that may be the files and directories at which a command begins. */
function startsOf(command: PlainCommand): readonly Start[] {
  const [program, ...words] = command;
  if (program?.text === 'git') return compared(words) ?? [];
  const here = { text: '.', isOpen: false };
  if (program?.text === 'find') {
    const end = words.findIndex(({ text }) => /^[-(!]/.test(text));
    return end === 0 ? [here] : words.slice(0, end === -1 ? words.length : end);
  }
  const args = readArguments(readerOf(command) ?? {}, words);
  if (args === undefined) return [here, ...words];
  const { options, operands } = args;
  const isPattern = !options.some(({ name }) => /^(?:-[ef]|--regexp|--file)$/.test(name));
  // The first operand may be a pattern; without a directory, the search begins in the line's own directory.
  return operands.length > (isPattern ? 1 : 0) ? operands : [here, ...operands];
}

/** The names to which a search is limited, and those that it leaves out. */
interface Filter {
  readonly only: readonly string[];
  readonly not: Readonly<Record<'files' | 'directories' | 'directoriesAtTheTop', readonly string[]>>;
}

const noFilter: Filter = { only: [], not: { files: [], directories: [], directoriesAtTheTop: [] } };

function filterOf(words: readonly string[], isFind: boolean): Filter {
  const executed = isFind ? words.indexOf('-exec') : -1;
  // Tests after `-exec` do not limit the files that it gets.
  const args = executed === -1 ? words : words.slice(0, executed);
  const isNegated = (at: number): boolean => /^(?:!|-not)$/.test(args[at] ?? '');
  // An alternative lifts the limit: `-name a -o -type f` finds all files.
  if (
    isFind &&
    args.some((word, at) => /^(?:-o|-or|,|[()])$/.test(word) || (isNegated(at) && isNegated(at + 1)))
  )
    return noFilter;
  const only: string[] = [];
  const [files, directories, directoriesAtTheTop]: [string[], string[], string[]] = [[], [], []];
  for (const [at, word] of args.entries()) {
    const [, option = '', attached] =
      /^--?((?:in|ex)clude(?:-dir)?|i?name|i?glob|g)(?:=(.*))?$/s.exec(word) ?? [];
    const value = attached ?? args[at + 1] ?? '';
    if (option === 'exclude-dir') directories.push(value);
    else if (option === 'exclude' || (option === 'name' && isNegated(at - 1))) files.push(value);
    else if (option !== '' && !isNegated(at - 1)) only.push(value);
    const [, top, path] = /^(\.|\*)\/([^/*]+)\/\*$/.exec(args[at + 1] ?? '') ?? [];
    if (word === '-path' && isNegated(at - 1) && path !== undefined)
      (top === '.' ? directoriesAtTheTop : directories).push(path);
  }
  // A glob that leaves files out limits nothing. If a search is also limited by another option, the last one counts.
  const limits = only.filter((pattern) => !pattern.startsWith('!'));
  const isPlain = !limits.some((pattern) => /[?[\]{}()\\/]/.test(pattern));
  return {
    only: isPlain ? limits.map((pattern) => pattern.toLowerCase()) : [],
    not: limits.length > 0 && !isFind ? noFilter.not : { files, directories, directoriesAtTheTop },
  };
}

function holdsSecrets(start: string, { only, not }: Filter): boolean {
  const isShown = (name: string, entry: Dirent, isAtTheTop: boolean): boolean => {
    const out = entry.isDirectory()
      ? [...not.directories, ...(isAtTheTop ? not.directoriesAtTheTop : [])]
      : not.files;
    if (out.some((pattern) => fitsPattern(pattern, name))) return false;
    const shown = entry.isDirectory() ? examples : [name];
    return (
      only.length === 0 ||
      shown.some((each) => only.some((pattern) => fitsPattern(pattern, each.toLowerCase())))
    );
  };
  const open = [start];
  let count = 0;
  for (let directory = open.pop(); directory !== undefined; directory = open.pop()) {
    for (const entry of entriesIn(directory)) {
      count += 1;
      if (count > maxEntries) return true;
      const { name } = entry;
      if (secretName.test(name) && isShown(name, entry, directory === start)) return true;
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
