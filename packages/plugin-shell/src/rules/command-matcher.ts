import { basename } from 'node:path';

import type { CallMatcher, Touch } from '@shallot/core/plugin';

import type { PlainCommand } from '../line/plain-line.ts';
import type { PlainWord } from '../line/plain-word.ts';
import { isRuleText } from '../options.ts';
import { presetCovers } from '../presets/preset.ts';
import { commandOf } from '../shell-tool.ts';
import { fitsWords } from './covers.ts';
import { judgeCommands, type JudgedLine } from './judge-line.ts';
import { parseRule, type Rule } from './rule.ts';

interface Setting extends Pick<CallMatcher, 'own'> {
  readonly toolName: string;
  /** The directory in which commands start, if it is known. */
  readonly root: string | undefined;
  /** True if the preset `testing` may be used. */
  readonly mayTest: boolean;
}

/** The end of the sentence "The rule "testing" …". */
export const testingNeeds =
  'executes what the files of the project say, which the model may have written; set sandbox: true, or testing: trusted if the model may do what your account can';

/**
 * Returns the matcher by which permission rules judge calls of the tool: by the commands of a line, as far as a parser
 * knows them.
 */
export function commandMatcher({ toolName, root, mayTest, own }: Setting): CallMatcher {
  return {
    subjects: ['shell'],
    tools: () => [toolName],
    advise: (pattern) => {
      if (!mayTest && parseRule(pattern).preset === 'testing') return `it ${testingNeeds}`;
      return isRuleText(pattern)
        ? undefined
        : 'write a program and its arguments without quotes or operators of a shell, such as "git status*"';
    },
    within: (pattern, wider) => isWithin(parseRule(pattern), parseRule(wider), root),
    ...(own === undefined ? {} : { own }),
    opens: opensMore,
    touches: ({ input }, { files }) => {
      const line = commandOf(input);
      const judged = line === undefined ? undefined : judgeCommands(line, root === '' ? files.root : root);
      return judged && touchesOf(judged, mayTest);
    },
  };
}

/**
 * Returns the parts of a line that rules judge: each command of a line that consists only of commands. Any other line
 * is one part, which no rule allows.
 */
function touchesOf({ line, commands, denies, allows }: JudgedLine, mayTest: boolean): readonly Touch[] {
  const touch = (what: string, command: PlainCommand | undefined): Touch => ({
    subject: 'shell',
    access: 'execute',
    what,
    covers: (pattern, list) => {
      const rule = parseRule(pattern);
      if (list === 'allow')
        return command !== undefined && (mayTest || rule.preset !== 'testing') && allows(rule, command);
      return rule.preset === undefined ? denies(rule) : command && presetCovers(rule.preset, command);
    },
    narrowest: command === undefined ? undefined : narrowestRule(command, allows),
  });
  return commands?.map((command) => touch(textOf(command), command)) ?? [touch(line, undefined)];
}

/** Returns true if everything that a rule allows is surely allowed by another one. */
function isWithin(rule: Rule, wider: Rule, root: string | undefined): boolean {
  if (rule.preset !== undefined) return false;
  if (!rule.text.includes('*')) {
    const judged = judgeCommands(rule.text, root);
    const [command, ...others] = judged?.commands ?? [];
    return command !== undefined && others.length === 0 && judged?.allows(wider, command) === true;
  }
  return wider.preset === undefined && fitsWords(wider, rule.words.map(toPlain), rule.text.endsWith('*'));
}

/**
 * Returns a word of a rule as a known word. Its star is compared like a character, which only a star of the wider
 * rule fits.
 */
function toPlain(text: string): PlainWord {
  return { text, isOpen: false, isMany: false };
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

/** Programs that execute their arguments or the files that these name, or that start others. */
const executing =
  /^(?:python[\d.]*|node|deno|bun|tsx|perl|ruby|php|lua|[gmn]?awk|g?sed|g?make|just|npm|npx|pnpm|yarn|bunx|uvx|uv|cargo|go|git|vim?|nvim|ed|less|man|docker|podman|kubectl|ssh|env|sudo|timeout|nohup|nice|xargs|find|tar|curl|wget|(?:ba|da|z|k|fi)?sh)$/;

/** Words after which a program takes what it executes. */
const leading = /^(?:-.*|run|run-script|exec|x|dlx|tsx|ts-node|node|python3?|(?:ba|z)?sh|env)$/;

const presetsOpen = {
  reading: 'its programs read every file that your account can read, also outside of the project',
  'git-reading': 'git shows every file of a repository as it was in any commit',
  testing: 'its programs execute what the files of the project say, which the agent may have written',
} as const;

/**
 * Returns a description of what a pattern opens: a preset, any program, or any arguments of a program that executes them;
 * undefined for other patterns.
 */
export function opensMore(pattern: string): string | undefined {
  const { preset, words } = parseRule(pattern);
  if (preset !== undefined) return presetsOpen[preset];
  const [program = '', ...args] = words;
  const last = args.at(-1) ?? program;
  if (!last.endsWith('*')) return undefined;
  if (/^\*|\*.*\*/.test(program)) return 'any program fits it';
  const name = basename(program).replace(/\*$/, '');
  if (!executing.test(name)) return undefined;
  const isOpen = args.length <= 1 || (last === '*' && args.slice(0, -1).every((word) => leading.test(word)));
  return isOpen && !/^\w[\w:.-]+\*$/.test(args.at(-1) ?? '')
    ? `${name} executes what its arguments say, or files that the agent may have written`
    : undefined;
}
