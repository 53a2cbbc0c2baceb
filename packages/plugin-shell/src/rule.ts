import { basename } from 'node:path';

import { fitsPattern } from '@shallot/core/plugin';

/** A rule about commands: the program, then arguments. In each word a `*` stands for any characters. */
export interface Rule {
  readonly text: string;
  readonly words: readonly string[];
}

/** The known words of a command: undefined is a word that only the shell knows. */
export type Words = readonly (string | undefined)[];

export function parseRule(text: string): Rule {
  return { text, words: text.split(/\s+/).filter((word) => word !== '') };
}

/** Tells whether a rule covers a command with all its words: more words than the rule has only if its last one ends with a star. */
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
 * Tells whether a command, from one of its words on, begins with the words of a rule; `maybe` if that depends on what only the
 * shell or the program knows. The program counts wherever it lies, options of a rule wherever they stand, and other options may
 * stand between its words.
 */
export function denies({ words: [program = '', ...patterns] }: Rule, words: Words, from = 0): Denies {
  const word = words[from];
  if (word === undefined) return 'maybe';
  if (!fitsPattern(program, word) && !fitsPattern(program, basename(word))) return false;
  const args = words.slice(from + 1);
  const [options, others] = [patterns.filter(isOption), patterns.filter((pattern) => !isOption(pattern))];
  const found = new Set([beginsWith(others, args), ...options.map((pattern) => hasOption(pattern, args))]);
  if (found.has(false)) return false;
  return found.has('maybe') ? 'maybe' : true;
}

type Denies = boolean | 'maybe';

function hasOption(pattern: string, args: Words): Denies {
  if (args.some((word) => word !== undefined && fitsPattern(pattern, word))) return true;
  return args.includes(undefined) ? 'maybe' : false;
}

function beginsWith(patterns: readonly string[], args: Words): Denies {
  let at = 0;
  let isGuess = false;
  for (const pattern of patterns) {
    for (let isValue = false; ; at += 1) {
      if (at >= args.length) return pattern === '*' && (isGuess ? 'maybe' : true);
      const word = args[at];
      if (word === undefined) return 'maybe';
      if (fitsPattern(pattern, word)) break;
      // The word after an option may be its value.
      if (isValue) isGuess = true;
      else if (!isOption(word)) return false;
      isValue = isOption(word) && !word.includes('=');
    }
    at += 1;
  }
  return isGuess ? 'maybe' : true;
}

function isOption(word: string): boolean {
  return word.startsWith('-');
}

/**
 * Tells whether the words of a rule occur in a command in their order, with anything between them, also inside arguments and in
 * lookalike letters: `find -exec rm`, `git -C x push`, `awk 'system("rm")'`.
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
  // `-Orm`: an option and its value.
  const values = [plain, unquoted].flatMap((text) => (/^-\w./.test(text) ? [text.slice(2)] : []));
  const texts = [plain, unquoted, ...values];
  const pieces = texts.flatMap((text) => text.split(/[^\p{L}\p{M}\p{N}._+-]+/u));
  return [...new Set([plain, ...pieces])].filter((token) => token !== '');
}
