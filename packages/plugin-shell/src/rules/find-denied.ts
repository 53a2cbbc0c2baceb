import type { SyntaxNode } from 'unbash';

import { allCommands, assignedValues, parseLine, separateParts } from '../line/parse-line.ts';
import type { PlainWord } from '../line/plain-word.ts';
import type { Words } from '../line/words.ts';
import { isReading } from '../presets/preset.ts';
import { innerCommands } from './inner-commands.ts';
import { denies, mentions, type Rule } from './rule.ts';
import { runsOthers } from './runs-others.ts';

/** The depth to which commands are looked for in the arguments of commands: `sh -c "sh -c '…'"`. */
const maxDepth = 6;

/** A rule that denies a command; `unclear` if only the shell or a program knows what would be executed. */
type Found = Rule | 'unclear' | undefined;

/**
 * Returns the rule that denies a command of a line, including a command that another one executes; undefined if none does.
 */
export function findDenied(line: string, deny: readonly Rule[], depth = 0): Found {
  if (deny.length === 0) return undefined;
  const script = parseLine(line);
  const commands = script === undefined || depth > maxDepth ? undefined : allCommands(script);
  if (script === undefined || commands === undefined) return 'unclear';
  const found = firstOf(commands, (words) => findInCommand(words, deny, depth));
  if (found !== undefined) return found;
  if (separateParts(script).some((part) => isMentioned(part, line, deny))) return 'unclear';
  // A value may be executed, for example as a pager: `PAGER='…' git log`.
  const values = assignedValues(script);
  return values.some((value) => findDenied(value, deny, depth + 1) !== undefined) ? 'unclear' : undefined;
}

function findInCommand(words: Words, deny: readonly Rule[], depth: number): Found {
  if (depth > maxDepth) return 'unclear';
  if (words.length === 0) return undefined;
  const inner = innerCommands(words);
  const starts = inner.isAnywhere ? [...words.keys()] : [0];
  const own = firstOf(starts, (from) => firstOf(deny, (rule) => isDenied(rule, words, from)));
  if (isRule(own)) return own;
  const within = firstOf(inner.commands, (command) => findInCommand(command, deny, depth + 1));
  if (isRule(within)) return within;
  const found = firstOf(inner.lines, (line) =>
    line === undefined ? 'unclear' : findDenied(line, deny, depth + 1),
  );
  if (isRule(found)) return found;
  return inner.isFed ? 'unclear' : (own ?? within ?? found);
}

function isDenied(rule: Rule, words: Words, from: number): Found {
  const is = denies(rule, words, from);
  return is === true ? rule : is === 'maybe' ? 'unclear' : undefined;
}

/**
 * Returns whether a denied program is named where something may execute it. All words and here-documents count, unless
 * all commands only read their arguments, or are commands of git that execute nothing else.
 */
function isMentioned(part: SyntaxNode, line: string, deny: readonly Rule[]): boolean {
  const commands = (allCommands(part) ?? []).filter((words) => words.length > 0);
  if (commands.every((words) => isReading(words.map(toPlain)) || isPlainGit(words))) return false;
  const words = commands.flat().filter((word) => word !== undefined);
  // The text of a here-document is not among the words.
  const code = line.includes('<<') ? [line, ...words] : words;
  return deny.some((rule) => mentions(rule, code));
}

function isPlainGit([program, ...args]: Words): boolean {
  return program === 'git' && !runsOthers('git', args) && !args.includes(undefined);
}

function toPlain(word: string | undefined): PlainWord {
  return word === undefined
    ? { text: '*', isOpen: true, isMany: true }
    : { text: word, isOpen: false, isMany: false };
}

/** Returns the first rule that is found, even if an earlier result is unclear. */
function firstOf<T>(list: readonly T[], find: (each: T) => Found): Found {
  let isUnclear = false;
  for (const each of list) {
    const found = find(each);
    if (isRule(found)) return found;
    isUnclear ||= found === 'unclear';
  }
  return isUnclear ? 'unclear' : undefined;
}

function isRule(found: Found): found is Rule {
  return typeof found === 'object';
}
