import type { Tool } from '@shallot/core';
import { fitsPattern } from '@shallot/core/plugin';

import type { Settings } from './options.ts';

/** The tools that a request offers, and those that a search can find. */
export interface Offer {
  readonly offered: readonly Tool[];
  readonly rest: readonly Tool[];
}

/**
 * Returns the tools to offer, and the rest. Found tools are appended in the order in which they were found, so that
 * the list before them stays the same.
 */
export function splitOffer(
  tools: readonly Tool[],
  { above, offer, toolName }: NonNullable<Settings['search']>,
  found: readonly string[],
): Offer {
  const others = tools.filter(({ name }) => name !== toolName);
  if (others.length <= above) return { offered: others, rest: [] };
  const isAlways = ({ name }: Tool): boolean =>
    name === toolName || offer.some((pattern) => fitsPattern(pattern, name));
  const sought = others.filter((tool) => !isAlways(tool));
  return {
    offered: [
      ...tools.filter(isAlways),
      ...found.flatMap((name) => sought.find((tool) => tool.name === name) ?? []),
    ],
    rest: sought.filter(({ name }) => !found.includes(name)),
  };
}
