import type { ToolCall } from '@shallot/core';
import {
  coversPart,
  readCall,
  type CallMatcher,
  type ReadyAgent,
  type ToolScope,
} from '@shallot/core/plugin';

import type { Hook } from '../hook.ts';
import { namesHere } from './tool-table.ts';

/** Decides which calls hooks are about. */
export class Calls {
  readonly #names: Readonly<Record<string, string>>;
  #matchers: () => readonly CallMatcher[] = () => [];

  constructor(names: Readonly<Record<string, string>>) {
    this.#names = names;
  }

  ready({ matchers }: Pick<ReadyAgent, 'matchers'>): void {
    this.#matchers = matchers;
  }

  /** Returns the hook with the names of tools here in its patterns. */
  inOurWords(hook: Hook): Hook {
    const rules = hook.rules?.flatMap((rule) => {
      const here = namesHere(rule.name, this.#names);
      const pattern = rule.pattern?.replace(/:\*$/, ' *');
      return here.length === 0 ? [rule] : here.map((name) => ({ text: rule.text, name, pattern }));
    });
    return { ...hook, rules };
  }

  /** Returns true if a hook is about a call, or if that cannot be told. */
  async isAbout(
    { rules }: Hook,
    { name, input }: ToolCall,
    { run, output }: Pick<ToolScope, 'run' | 'output'>,
  ): Promise<boolean> {
    if (rules === undefined) return true;
    const call = await readCall({ name, input, output, files: run.files }, this.#matchers());
    return rules.some((rule) => coversPart(rule, 'deny', call) !== false);
  }

  /** Returns the patterns of a hook that fit no tool of an agent. */
  unused({ rules = [] }: Hook, { tools, matchers }: ReadyAgent): readonly string[] {
    const known = matchers();
    const names = new Set(tools.map((tool) => tool.name));
    const isUsed = (name: string): boolean =>
      name.includes('*') || names.has(name) || known.some(({ subjects }) => subjects.includes(name));
    const used = new Set(rules.filter(({ name }) => isUsed(name)).map(({ text }) => text));
    return [...new Set(rules.map(({ text }) => text))].filter((text) => !used.has(text));
  }
}
