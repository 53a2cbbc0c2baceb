import type { AgentEvent } from '../../contract/events.ts';

/** Returns two deltas of one part as one delta; undefined for other pairs of events. */
export function joinDeltas(first: AgentEvent | undefined, second: AgentEvent): AgentEvent | undefined {
  switch (second.type) {
    case 'text-delta':
    case 'reasoning-delta':
      if (first?.type !== second.type || first.index !== second.index) return undefined;
      return { ...first, text: first.text + second.text };
    case 'tool-call-delta':
      if (first?.type !== second.type || first.index !== second.index) return undefined;
      return { ...first, ...second, text: first.text + second.text };
    default:
      return undefined;
  }
}
