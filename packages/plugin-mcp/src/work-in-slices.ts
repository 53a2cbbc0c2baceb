import { setImmediate } from 'node:timers/promises';

/** The time after which the loop yields, in milliseconds; a single item may take longer. */
const sliceMs = 5;

/** Calls a function for each item, yielding to the event loop in between: a server may list thousands of tools. */
export async function workInSlices<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let since = performance.now();
  for (const item of items) {
    work(item);
    if (performance.now() - since < sliceMs) continue;
    await setImmediate();
    since = performance.now();
  }
}
