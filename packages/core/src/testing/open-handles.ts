import { setTimeout as sleep } from 'node:timers/promises';

/** What keeps the process alive or listens to it, by kind. */
export function openHandles(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (kind: string, by: number): void => void counts.set(kind, (counts.get(kind) ?? 0) + by);
  for (const kind of process.getActiveResourcesInfo()) count(kind, 1);
  for (const event of process.eventNames())
    count(`listener of ${String(event)}`, process.listenerCount(event));
  return counts;
}

/** The kinds of which there are more than before, once what closes by itself has had a second to do so. */
export async function leakedSince(before: ReadonlyMap<string, number>): Promise<string[]> {
  const deadline = Date.now() + 1000;
  for (;;) {
    const leaked = [...openHandles()]
      .filter(([kind, now]) => now > (before.get(kind) ?? 0))
      .map(([kind]) => kind);
    if (leaked.length === 0 || Date.now() > deadline) return leaked;
    // The pause is itself a handle: it has gone when the loop looks again.
    await sleep(10);
  }
}
