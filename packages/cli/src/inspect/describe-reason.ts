import type { PlaceReason } from '@shallot/core/command';

const givers: Readonly<Record<PlaceReason['priority'], string>> = {
  tap: 'by its tap',
  entry: 'by its entry',
  plugin: 'by its plugin',
  default: 'by default',
};

/** Describes the reason for a layer's place: the source of its priority, and other influences. */
export function describeReason({ priority, edge, tie }: PlaceReason): string {
  const giver = givers[priority];
  if (edge !== undefined) {
    return `${edge.kind} ${edge.target}, by its ${edge.from}; else ${giver}`;
  }
  return tie === undefined ? giver : `${giver}; after ${tie}, which is earlier in the list`;
}
