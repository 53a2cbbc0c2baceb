import { basename } from 'node:path';

import { fitsPattern } from '@shallot/core/plugin';

import type { PlainCommand } from '../line/plain-line.ts';
import { mayBeAnOption } from '../line/plain-word.ts';
import { isPlainGitReader } from '../presets/git-reader.ts';
import { presetCovers, readerOf } from '../presets/preset.ts';
import { fitsReader } from '../presets/reader.ts';
import type { Rule } from './rule.ts';
import { isOfTheShell, runsOthers } from './runs-others.ts';

/**
 * Programs that read, but also have options by which they execute others or write. For these, a star covers only the
 * listed options.
 */
const listed: ReadonlySet<string> = new Set('ag diff fd fdfind file find rg sort tree uniq'.split(' '));

/** Returns true if a rule covers a command with all its words, so that it may be executed unseen. */
export function covers(rule: Rule, command: PlainCommand): boolean {
  if (rule.preset !== undefined) return presetCovers(rule.preset, command);
  const texts = command.map(({ text }) => text);
  const program = basename(texts[0] ?? '');
  if (isOfTheShell(program, texts) || !fitsWords(rule, command)) return false;
  if (!rule.text.includes('*')) return true;
  const args = command.slice(1);
  const isListed = listed.has(program) || (program === 'git' && isPlainGitReader(args));
  const reader = readerOf(command);
  if (isListed && reader !== undefined) return fitsReader(reader, args);
  return !runsOthers(program, texts) && (reader?.isInert === true || !args.some(mayBeAnOption));
}

/**
 * Returns whether words fit a rule. More words than the rule has fit only if its last one ends with a star. With
 * `mayHaveMore`, others may follow these words.
 */
export function fitsWords({ words: patterns }: Rule, words: PlainCommand, mayHaveMore = false): boolean {
  const last = patterns.at(-1) ?? '';
  const isLong = last.endsWith('*');
  if (mayHaveMore && !isLong) return false;
  // `ls *` covers `ls` too.
  const needed = last === '*' && patterns.length > 1 ? patterns.length - 1 : patterns.length;
  if (words.length < needed || (words.length > patterns.length && !isLong)) return false;
  return words.every(({ text, isMany }, index) => {
    const pattern = patterns[index];
    // A word that may expand to several words needs a pattern that accepts several.
    if (isMany && !(isLong && index >= patterns.length - 1)) return false;
    return pattern === undefined || fitsPattern(pattern, text);
  });
}
