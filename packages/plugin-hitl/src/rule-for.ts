import { fitsPattern } from '@shallot/core/plugin';

import type { Policy, Rule } from './options.ts';

/**
 * Returns the rule for a tool: its own, else that of the matching pattern with the most letters; undefined if nobody is
 * asked. Of equally long patterns, one that asks wins.
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
