import { basename } from 'node:path';

import type { CallMatcher, Touch } from '@shallot/core/plugin';

import type { PlainCommand } from '../line/plain-line.ts';
import { isRuleText } from '../options.ts';
import { presetCovers } from '../presets/preset.ts';
import { commandOf } from '../shell-tool.ts';
import { judgeCommands, type JudgedLine } from './judge-line.ts';
import { parseRule } from './rule.ts';

interface Setting {
  readonly toolName: string;
  /** The directory in which commands start, where it is known. */
  readonly root: string | undefined;
  /** True if the preset `testing` may be used. */
  readonly mayTest: boolean;
}

/** Completes: the rule "testing" … */
export const testingNeeds =
  'executes what the files of the project say, which the model may have written; set sandbox: true, or testing: trusted if the model may do what your account can';

/** Reads the calls of the tool for rules: the commands of a line, as far as a parser can tell them. */
export function commandMatcher({ toolName, root, mayTest }: Setting): CallMatcher {
  return {
    subjects: ['shell'],
    tools: () => [toolName],
    advise: (pattern) => {
      if (!mayTest && parseRule(pattern).preset === 'testing') return `it ${testingNeeds}`;
      return isRuleText(pattern)
        ? undefined
        : 'write a program and its arguments without quotes or operators of a shell, such as "git status*"';
    },
    opens: opensMore,
    touches: ({ input }) => {
      const line = commandOf(input);
      const judged = line === undefined ? undefined : judgeCommands(line, root);
      return judged && touchesOf(judged);
    },
  };
}

/** A line of nothing but commands touches each of them; any other is one thing, which no rule allows. */
function touchesOf({ line, commands, denies, allows }: JudgedLine): readonly Touch[] {
  const touch = (what: string, command: PlainCommand | undefined): Touch => ({
    subject: 'shell',
    access: 'execute',
    what,
    covers: (pattern, list) => {
      const rule = parseRule(pattern);
      if (list === 'allow') return command !== undefined && allows(rule, command);
      return rule.preset === undefined ? denies(rule) : command && presetCovers(rule.preset, command);
    },
    narrowest: command === undefined ? undefined : narrowestRule(command, allows),
  });
  return commands?.map((command) => touch(textOf(command), command)) ?? [touch(line, undefined)];
}

function narrowestRule(command: PlainCommand, allows: JudgedLine['allows']): string | undefined {
  const text = textOf(command);
  const rule = parseRule(text);
  const isItself = rule.words.length === command.length && !text.includes('*') && isRuleText(text);
  return isItself && allows(rule, command) ? text : undefined;
}

function textOf(command: PlainCommand): string {
  return command.map(({ text }) => text).join(' ');
}

/** Programs whose arguments, or the files that they name, are code. */
const executing =
  /^(?:python[\d.]*|node|deno|bun|perl|ruby|php|lua|[gmn]?awk|g?sed|g?make|just|npm|npx|pnpm|yarn|cargo|go|vim?|nvim|ed|less|man|docker|podman|ssh|env|xargs|sh|bash|zsh)$/;

/** Returns what a pattern with a star at its end opens, of a program that executes what it is given. */
function opensMore(pattern: string): string | undefined {
  const [program = '', ...args] = pattern.split(/\s+/);
  if (!(args.at(-1) ?? program).endsWith('*') || args.length > 1) return undefined;
  const name = basename(program).replace(/\*$/, '');
  return executing.test(name)
    ? `${name} executes what its arguments say, or files that the agent may have written`
    : undefined;
}
