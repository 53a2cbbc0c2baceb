import { basename } from 'node:path';

import { fitsPattern } from '@shallot/core/plugin';

import type { Words } from '../line/words.ts';
import { isPreset, type PresetName } from '../presets/preset.ts';

/** A rule about commands: the program, then arguments. In each word a `*` stands for any characters. */
export interface Rule {
  readonly text: string;
  readonly words: readonly string[];
  /** Set for the name of a preset. */
  readonly preset?: PresetName;
}

export function parseRule(text: string): Rule {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const name = words.join(' ');
  return { text, words, ...(isPreset(name) ? { preset: name } : {}) };
}

/**
 * Returns whether a command, from one of its words on, begins with the words of a rule; `maybe` if that depends on what
 * only the shell or the program knows. A program matches in any directory, an option of the rule in any position, and
 * other options may stand between its words.
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
 * Returns whether the words of a rule occur in a command in their order, with anything between them, also inside arguments and in
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
  // An option may have its value attached: `-Orm`, `-nOrm`.
  const values = [plain, unquoted].flatMap((text) => {
    const letters = /^-(\w+)/.exec(text)?.[1]?.length ?? 0;
    return [...Array(Math.min(letters, 9)).keys()].map((index) => text.slice(index + 1));
  });
  // A program that reads escapes takes `\\trm` as a tab and a name.
  const texts = [plain, unquoted, plain.replaceAll(/\\[a-z]/g, ' '), ...values];
  const pieces = texts.flatMap((text) => text.split(/[^\p{L}\p{M}\p{N}._+-]+/u));
  return [...new Set([plain, ...pieces])].filter((token) => token !== '');
}
