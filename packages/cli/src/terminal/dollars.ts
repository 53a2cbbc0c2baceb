import type { RunUsage } from '@shallot/core/model';

import { count } from './count.ts';

export function dollars(cost: number): string {
  return `$${cost >= 1 || cost === 0 ? cost.toFixed(2) : cost.toPrecision(2)}`;
}

/**
 * Returns the cost of a run or session with the number of calls that it leaves out; undefined if no call has a cost.
 */
export function costOf({ cost, unpriced = 0 }: RunUsage): string | undefined {
  if (cost === undefined) return undefined;
  const without = unpriced === 0 ? '' : ` (without ${count(unpriced, 'call')} of unknown price)`;
  return `${dollars(cost)}${without}`;
}
