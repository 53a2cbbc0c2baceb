import { basename } from 'node:path';

import { fitsPattern } from '@shallot/core/plugin';

/** A rule about commands: the program, then arguments. In each word a `*` stands for any characters. */
export interface Rule {
  readonly text: string;
  readonly words: readonly string[];
}

/** What is known of the words of a command: undefined is one that only the shell knows. */
export type Words = readonly (string | undefined)[];

export function parseRule(text: string): Rule {
  return { text, words: text.split(/\s+/).filter((word) => word !== '') };
}

/** Whether a rule covers a command with all its words: more words than it has, only if its last one ends with a star. */
export function allows({ words: patterns }: Rule, words: readonly string[]): boolean {
  const last = patterns.at(-1) ?? '';
  // `ls *` covers `ls` too.
  const needed = last === '*' && patterns.length > 1 ? patterns.length - 1 : patterns.length;
  if (words.length < needed || (words.length > patterns.length && !last.endsWith('*'))) return false;
  return patterns.every(
    (pattern, index) => index >= words.length || fitsPattern(pattern, words[index] ?? ''),
  );
}

/**
 * Whether a command, from one of its words on, begins with the words of a rule; `maybe` if that depends on what only the
 * shell knows. The program counts wherever it lies.
 */
export function denies({ words: patterns }: Rule, words: Words, from = 0): boolean | 'maybe' {
  for (const [index, pattern] of patterns.entries()) {
    if (from + index >= words.length) return pattern === '*';
    const word = words[from + index];
    if (word === undefined) return 'maybe';
    const isSame = fitsPattern(pattern, word) || (index === 0 && fitsPattern(pattern, basename(word)));
    if (!isSame) return false;
  }
  return true;
}

/**
 * Whether the words of a rule occur in a command in their order, with anything between them, also inside of arguments and
 * in letters that only look alike: `find -exec rm`, `git -C x push`, `awk 'system("rm")'`.
 */
export function mentions({ words: patterns }: Rule, words: readonly string[]): boolean {
  let next = 0;
  for (const token of words.flatMap(tokensOf)) {
    const pattern = patterns[next];
    if (pattern === undefined) break;
    if (pattern === '*' && next > 0) next += 1;
    else if (fitsPattern(pattern.toLowerCase(), token)) next += 1;
  }
  return patterns.slice(next).every((pattern) => pattern === '*' && next > 0);
}

function tokensOf(word: string): string[] {
  const plain = word.normalize('NFKC').toLowerCase();
  const unquoted = plain.replaceAll(/['"\\]/g, '');
  const pieces = [plain, unquoted].flatMap((text) => text.split(/[^\p{L}\p{M}\p{N}._+-]+/u));
  return [...new Set([plain, ...pieces])].filter((token) => token !== '');
}
