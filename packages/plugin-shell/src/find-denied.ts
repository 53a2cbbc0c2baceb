import { basename } from 'node:path';

import { allCommands, assignedValues, parseLine } from './all-commands.ts';
import { innerCommands } from './inner-commands.ts';
import { denies, mentions, type Rule, type Words } from './rule.ts';
import { runsOthers, takesCode } from './runs-others.ts';

/** How deep commands are looked for in the arguments of commands: `sh -c "sh -c '…'"`. */
const maxDepth = 6;

/** A rule that denies a command; `unclear` if only the shell or a program knows what would be executed. */
type Found = Rule | 'unclear' | undefined;

/** The rule that denies a command of a line, also of one that another command executes. */
export function findDenied(line: string, deny: readonly Rule[], depth = 0): Found {
  if (deny.length === 0) return undefined;
  const script = parseLine(line);
  const commands = script === undefined || depth > maxDepth ? undefined : allCommands(script);
  if (script === undefined || commands === undefined) return 'unclear';
  const found = firstOf(commands, (words) => findInCommand(words, deny, depth));
  if (found !== undefined) return found;
  if (isMentioned(commands, line, deny)) return 'unclear';
  // A pager or an editor, perhaps: PAGER='…' git log.
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

/** Tells whether a denied program is named where others may execute it: in their code, or by the program's path. */
function isMentioned(commands: readonly Words[], line: string, deny: readonly Rule[]): boolean {
  const words = commands.flat().filter((word) => word !== undefined);
  const paths = words.filter((word) => /\/s?bin\/[^/]+$/.test(word)).map((path) => [basename(path)]);
  const ways = commands.map(howCodeIsTaken);
  const ofCode = commands.filter((_, index) => ways[index] !== undefined).map(([, ...args]) => args);
  const code = ways.includes('from input') ? [line] : ofCode.flat().filter((word) => word !== undefined);
  return deny.some((rule) => mentions(rule, code) || paths.some((path) => denies(rule, path) === true));
}

/** How a command takes code, or one that it executes. */
function howCodeIsTaken(words: Words): 'from arguments' | 'from input' | undefined {
  const [program = '', ...args] = words;
  const programs = runsOthers(basename(program), args) ? words : [program];
  const ways = programs.map((word, index) => takesCode(basename(word ?? ''), words.slice(index + 1)));
  return ways.includes('from input') ? 'from input' : ways.find((way) => way !== undefined);
}

/** The first rule, also if something before it is unclear. */
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
