import type { PlaceReason } from '@shallot/core/plugin';

const givers: Readonly<Record<PlaceReason['priority'], string>> = {
  tap: 'by its tap',
  entry: 'by its entry',
  plugin: 'by its plugin',
  default: 'by default',
};

/** Why a layer stands where it does: who gave the priority, and what else has decided. */
export function describeReason({ priority, edge, tie }: PlaceReason): string {
  const giver = givers[priority];
  if (edge !== undefined) {
    return `${edge.kind} ${edge.target}, by its ${edge.from}; else ${giver}`;
  }
  return tie === undefined ? giver : `${giver}; after ${tie}, which is earlier in the list`;
}
