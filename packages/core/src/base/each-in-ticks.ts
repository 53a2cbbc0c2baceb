import { setImmediate as nextTick } from 'node:timers/promises';

/** The longest tick of the event loop, in milliseconds. */
const mostMs = 10;

/**
 * Visits items one after the other, in ticks of ten milliseconds, between which other work can run. For long histories
 * that this process has not processed before.
 */
export async function eachInTicks<T>(
  items: readonly T[],
  visit: (item: T, index: number) => void,
): Promise<void> {
  let tickAt = performance.now();
  for (const [index, item] of items.entries()) {
    visit(item, index);
    if (performance.now() - tickAt < mostMs) continue;
    await nextTick();
    tickAt = performance.now();
  }
}
