import { setTimeout as sleep } from 'node:timers/promises';

/** The number of open handles and process listeners, by kind. */
export type Handles = ReadonlyMap<string, number>;

/**
 * Counts handles that stay open for longer than a moment: the least of several counts, since the process has timers
 * of its own.
 */
export async function openHandles(): Promise<Handles> {
  const looks: Handles[] = [];
  for (let look = 0; look < 4; look += 1) {
    // The pause is itself a handle, which is closed before the loop counts.
    await sleep(5);
    looks.push(countHandles());
  }
  const kinds = new Set(looks.flatMap((counts) => [...counts.keys()]));
  return new Map([...kinds].map((kind) => [kind, Math.min(...looks.map((counts) => counts.get(kind) ?? 0))]));
}

/**
 * Returns the kinds of which there are at least `atLeast` more than before. Handles that close by themselves,
 * including timers of other tests in this process, have some seconds to do so. A handle that each run leaves behind
 * shows after several runs, whatever else comes and goes in the process.
 */
export async function leakedSince(before: Handles, atLeast: number): Promise<string[]> {
  const deadline = Date.now() + 5000;
  for (;;) {
    const now = await openHandles();
    const leaked = [...now]
      .filter(([kind, count]) => count - (before.get(kind) ?? 0) >= atLeast)
      .map(([kind]) => kind);
    if (leaked.length === 0 || Date.now() > deadline) return leaked;
  }
}

function countHandles(): Handles {
  const counts = new Map<string, number>();
  const count = (kind: string, by: number): void => void counts.set(kind, (counts.get(kind) ?? 0) + by);
  for (const kind of process.getActiveResourcesInfo()) count(kind, 1);
  for (const event of process.eventNames())
    count(`listener of ${String(event)}`, process.listenerCount(event));
  return counts;
}
