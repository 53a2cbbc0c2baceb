import { setImmediate as nextTurn } from 'node:timers/promises';

/** The time without a turn of the event loop, in milliseconds. */
const mostMs = 10;

/**
 * Visits items one after the other, and gives the event loop a turn every ten milliseconds: for long histories that this
 * process has not looked at before.
 */
export async function eachInTurns<T>(
  items: readonly T[],
  visit: (item: T, index: number) => void,
): Promise<void> {
  let turnAt = performance.now();
  for (const [index, item] of items.entries()) {
    visit(item, index);
    if (performance.now() - turnAt < mostMs) continue;
    await nextTurn();
    turnAt = performance.now();
  }
}
