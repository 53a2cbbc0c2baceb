import { fitsPattern } from '@shallot/core/plugin';

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
