import type { ToolCall } from '@shallot/core';
import {
  coversPart,
  fitsPattern,
  readCall,
  type CallMatcher,
  type PermissionRule,
  type ReadyAgent,
  type ToolScope,
} from '@shallot/core/plugin';

import type { Hook } from '../hook.ts';
import type { ToolWords } from './tool-words.ts';
import { nameToFit, wordsFor } from './words-for.ts';

/** Decides which calls hooks are about. */
export class Calls {
  readonly #words: Pick<ToolWords, 'nameOf'>;
  #matchers: () => readonly CallMatcher[] = () => [];

  constructor(words: Pick<ToolWords, 'nameOf'>) {
    this.#words = words;
  }

  ready({ matchers }: Pick<ReadyAgent, 'matchers'>): void {
    this.#matchers = matchers;
  }

  /** Returns true if a hook is about a call, or if this is uncertain. */
  async isAbout(
    { rules }: Hook,
    { name, input }: ToolCall,
    { run, output }: Pick<ToolScope, 'run' | 'output'>,
  ): Promise<boolean> {
    if (rules === undefined) return true;
    const call = await readCall({ name, input, output, files: run.files }, this.#matchers());
    return rules.some((rule) => coversPart(this.#forTool(rule, name), 'deny', call) !== false);
  }

  /** Returns the patterns of a hook that fit no tool of an agent, except those that tools added later may fit. */
  unused({ rules = [] }: Hook, { tools, matchers }: ReadyAgent): readonly string[] {
    const known = matchers();
    const isUsed = ({ name }: PermissionRule): boolean =>
      // Tools of servers may come later.
      name.includes('*') ||
      name.startsWith('mcp__') ||
      tools.some((tool) => tool.name === name || this.#isNamed(name, tool.name)) ||
      known.some(({ subjects }) => subjects.includes(name));
    const used = new Set(rules.filter(isUsed).map(({ text }) => text));
    return [...new Set(rules.map(({ text }) => text))].filter((text) => !used.has(text));
  }

  /** Returns a rule that names a tool by the format's name with the name here. */
  #forTool(rule: PermissionRule, tool: string): PermissionRule {
    if (!this.#isNamed(rule.name, tool)) return rule;
    return { ...rule, name: tool, pattern: rule.pattern?.replace(/:\*$/, ' *') };
  }

  #isNamed(name: string, tool: string): boolean {
    return fitsPattern(nameToFit(name), this.#words.nameOf(tool));
  }
}

/** Returns true if a hook may be about calls of a tool of the format, as far as that is known without an agent. */
export function mayBeAbout(
  { rules }: Hook,
  foreign: string,
  named: Readonly<Record<string, string>>,
): boolean {
  const words = wordsFor(foreign, named);
  return (
    rules === undefined || rules.some(({ name }) => words.some((word) => fitsPattern(nameToFit(name), word)))
  );
}
