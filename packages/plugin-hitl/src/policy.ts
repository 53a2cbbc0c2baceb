import { ShallotError, type Logger, type Tool } from '@shallot/core';
import { fitsPattern, nearest } from '@shallot/core/plugin';

import type { Policy, Rule } from './options.ts';

/**
 * The rule for a tool, or undefined when nobody is to be asked: its own, else that of the most exact pattern, which is the
 * one with the most letters. Of two that are as exact, the one that asks counts.
 */
export function ruleFor({ tools }: Policy, tool: string): Rule | undefined {
  if (tools.has(tool)) return tools.get(tool);
  let best: Rule | undefined;
  let exactness = -1;
  for (const [name, rule] of tools) {
    const letters = name.replaceAll('*', '').length;
    if (!fitsPattern(name, tool) || letters < exactness) continue;
    if (letters > exactness) best = rule;
    else best ??= rule;
    exactness = letters;
  }
  return best;
}

/**
 * Checks the policy against the tools that are there. A pattern that fits none is only warned of: tools may come later.
 * @throws `hitl/UNKNOWN_TOOL`
 */
export function checkPolicy({ tools }: Policy, present: readonly Tool[], log: Logger): void {
  const names = present.map(({ name }) => name);
  for (const name of tools.keys()) {
    if (names.some((tool) => fitsPattern(name, tool))) continue;
    if (isPattern(name)) {
      if (name !== '*')
        log.warn({ pattern: name }, `no tool fits the pattern "${name}" of the approval policy`);
      continue;
    }
    const near = nearest(name, names);
    const hint =
      near === undefined ? `The tools are: ${names.join(', ') || 'none'}.` : `Did you mean "${near}"?`;
    throw new ShallotError('hitl/UNKNOWN_TOOL', {
      message: `The approval policy names the tool "${name}", which is not there. ${hint} A tool that comes later is guarded by a pattern, "${name}*" for instance.`,
    });
  }
}

function isPattern(name: string): boolean {
  return name.includes('*');
}
