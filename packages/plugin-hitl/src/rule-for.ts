import { fitsPattern } from '@shallot/core/plugin';

import type { Policy, Rule } from './options.ts';

/**
 * Returns the entry for a tool: its own, else that of the matching pattern with the most letters; undefined if there is
 * none. Of equally long patterns, one that asks wins.
 */
export function ruleFor({ tools }: Pick<Policy, 'tools'>, tool: string): Rule | 'pass' | undefined {
  const own = tools.get(tool);
  if (own !== undefined) return own;
  let best: Rule | 'pass' | undefined;
  let exactness = -1;
  for (const [name, rule] of tools) {
    const letters = name.replaceAll('*', '').length;
    if (!fitsPattern(name, tool) || letters < exactness) continue;
    if (letters > exactness || best === 'pass') best = rule;
    exactness = letters;
  }
  return best;
}
