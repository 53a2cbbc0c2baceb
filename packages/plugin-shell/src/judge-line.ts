import { basename } from 'node:path';

import { allCommands, parseLine } from './all-commands.ts';
import { plainCommands } from './plain-commands.ts';
import { allows, denies, mentions, type Rule, type Words } from './rule.ts';
import { isOfTheShell, runsOthers, takesLines } from './runs-others.ts';

/** What the rules say of a line. `unclear` is one of which they cannot say whether it holds a denied command. */
export type Verdict =
  | { readonly is: 'denied'; readonly rule: string }
  | { readonly is: 'allowed'; readonly rules: readonly string[] }
  | { readonly is: 'open' }
  | { readonly is: 'unclear' };

export interface LineRules {
  readonly allow: readonly Rule[];
  readonly deny: readonly Rule[];
}

/** How deep commands are looked for in the arguments of commands: `sh -c "sh -c '…'"`. */
const maxDepth = 6;

/** Judges a line by what a parser says of it. A line is allowed only if each of its commands is, and nothing else is in it. */
export function judgeLine(line: string, { allow, deny }: LineRules): Verdict {
  const script = parseLine(line);
  if (script === undefined) return { is: 'unclear' };
  const denied = findDenied(line, deny, 0);
  if (denied === 'unclear') return { is: 'unclear' };
  if (denied !== undefined) return { is: 'denied', rule: denied.text };
  const commands = plainCommands(line, script);
  if (commands === undefined) return { is: 'open' };
  // Across commands: what one prints, the next may execute.
  if (deny.some((rule) => mentions(rule, commands.flat()))) return { is: 'open' };
  const rules = commands.map((words) => allow.find((rule) => mayAllow(rule, words) && allows(rule, words)));
  const texts = rules.flatMap((rule) => (rule === undefined ? [] : [rule.text]));
  return texts.length < rules.length ? { is: 'open' } : { is: 'allowed', rules: [...new Set(texts)] };
}

function mayAllow(rule: Rule, words: readonly string[]): boolean {
  const program = basename(words[0] ?? '');
  if (isOfTheShell(program, words)) return false;
  return !runsOthers(program, words) || !rule.text.includes('*');
}

function findDenied(line: string, deny: readonly Rule[], depth: number): Rule | 'unclear' | undefined {
  if (deny.length === 0) return undefined;
  const script = parseLine(line);
  const commands = script === undefined || depth > maxDepth ? undefined : allCommands(script);
  if (commands === undefined) return 'unclear';
  let isUnclear = false;
  for (const words of commands) {
    const found = findInCommand(words, deny, depth);
    if (found === 'unclear') isUnclear = true;
    else if (found !== undefined) return found;
  }
  return isUnclear ? 'unclear' : undefined;
}

function findInCommand(words: Words, deny: readonly Rule[], depth: number): Rule | 'unclear' | undefined {
  const [program] = words;
  const known = words.filter((word) => word !== undefined);
  const runs = program !== undefined && runsOthers(basename(program), known);
  let isUnclear = false;
  for (const rule of deny) {
    for (let from = 0; from < (runs ? words.length : 1); from += 1) {
      const is = words.length === 0 ? false : denies(rule, words, from);
      if (is === true) return rule;
      if (is === 'maybe') isUnclear = true;
    }
  }
  for (const line of runs && takesLines(known) ? linesIn(known) : []) {
    const found = findDenied(line, deny, depth + 1);
    if (found === 'unclear') isUnclear = true;
    else if (found !== undefined) return found;
  }
  return isUnclear ? 'unclear' : undefined;
}

/** The arguments that may be lines of their own: `sh -c 'a; b'`, `eval a b`, `alias x='a b'`. */
function linesIn([program, ...args]: readonly string[]): string[] {
  const joined = program === 'eval' ? [args.join(' ')] : [];
  const values = args.flatMap((word) => {
    const value = /^[\w.-]+=(?<value>.+)$/s.exec(word)?.groups?.value;
    return value === undefined ? [word] : [word, value];
  });
  return [...joined, ...values.filter((word) => /[^\w./:@%+,-]/.test(word) || program === 'alias')];
}
