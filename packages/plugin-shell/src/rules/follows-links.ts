import { readdirSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { fitsPattern } from '@shallot/core/plugin';

import type { PlainLine } from '../line/plain-line.ts';
import type { PlainWord } from '../line/plain-word.ts';
import { isSecretPath } from './names-secret.ts';

/** The most files that are examined. If a pattern matches more, one of them may be a link to keys. */
const maxFiles = 2000;

/** Returns the file that a link leads to; undefined for a file that is not a link, or does not exist. */
export function targetOf(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return real === path ? undefined : real;
  } catch {
    // No command can read it either.
    return undefined;
  }
}

/**
 * Returns true if a word of a line is a link to a file with keys, or may become one, from one of these directories; also if
 * it fits too many files.
 */
export function followsLinks(
  { inputs }: Pick<PlainLine, 'inputs'>,
  operands: readonly PlainWord[],
  places: readonly string[],
): boolean {
  const words = [...operands, ...inputs].filter(({ text }) => !text.startsWith('-'));
  return places.some((place) =>
    words.some((word) => {
      const paths = pathsOf(place, word);
      return paths === undefined || paths.some((path) => isSecretPath(targetOf(path) ?? ''));
    }),
  );
}

/** Returns the paths that a word may mean in a directory; undefined if there are too many. */
export function pathsOf(
  place: string,
  { text, isOpen }: Pick<PlainWord, 'text' | 'isOpen'>,
): readonly string[] | undefined {
  // The variables of directories are read as `~`, too.
  const texts = text.startsWith('~')
    ? [text, ...[homedir(), place, tmpdir()].map((directory) => directory + text.slice(1))]
    : [text];
  const paths = texts.map((each) => (isOpen ? filled(place, each) : [resolve(place, each)]));
  return paths.includes(undefined) ? undefined : paths.flatMap((each) => each ?? []);
}

/** Returns the files that match a pattern; undefined if there are too many. */
function filled(place: string, pattern: string): readonly string[] | undefined {
  let paths = [pattern.startsWith('/') ? '/' : place];
  for (const name of pattern.split('/').filter((each) => each !== '')) {
    paths = paths.flatMap((path) => (name.includes('*') ? fitting(path, name) : [join(path, name)]));
    if (paths.length > maxFiles) return undefined;
  }
  return paths;
}

function fitting(directory: string, pattern: string): readonly string[] {
  try {
    const names = readdirSync(directory).filter(
      (name) => !name.startsWith('.') && fitsPattern(pattern, name),
    );
    return names.map((name) => join(directory, name));
  } catch {
    // This is a file, or a directory that the command cannot read either.
    return [];
  }
}
