import { basename } from 'node:path';

import { parseLine } from './all-commands.ts';
import { findDenied } from './find-denied.ts';
import { plainCommands } from './plain-commands.ts';
import { allows, mentions, type Rule } from './rule.ts';
import { isOfTheShell, runsOthers } from './runs-others.ts';

/** The verdict of the rules on a line. `unclear`: they cannot tell whether it holds a denied command. */
export type Verdict =
  | { readonly is: 'denied'; readonly rule: string }
  | { readonly is: 'allowed'; readonly rules: readonly string[] }
  | { readonly is: 'open' }
  | { readonly is: 'unclear' };

export interface LineRules {
  readonly allow: readonly Rule[];
  readonly deny: readonly Rule[];
}

/** Judges a line by what a parser says of it. A line is allowed only if each of its commands is, and nothing else is in it. */
export function judgeLine(line: string, { allow, deny }: LineRules): Verdict {
  const script = parseLine(line);
  if (script === undefined) return { is: 'unclear' };
  const denied = findDenied(line, deny);
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
