import { setTimeout as sleep } from 'node:timers/promises';

import type { Store } from '../contract/store.ts';

/** The next change of a session: heard of from a store that says so, else awaited for some time. */
export class Change {
  #heard = Promise.withResolvers<void>();
  #leave: () => void = () => undefined;

  static async of(store: Store, sessionId: string): Promise<Change> {
    const change = new Change();
    const leave = await store.watch?.(sessionId, () => change.#heard.resolve());
    if (leave !== undefined) change.#leave = leave;
    return change;
  }

  /** What is heard from here on ends the next wait. */
  begin(): void {
    this.#heard = Promise.withResolvers();
  }

  /** Waits for a change, no longer than this. Whether the signal was aborted. */
  async wait(atMostMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    const over = new AbortController();
    const either = AbortSignal.any([over.signal, ...(signal === undefined ? [] : [signal])]);
    // Rejects when either is aborted.
    const waited = sleep(atMostMs, undefined, { signal: either }).catch(() => undefined);
    await Promise.race([waited, this.#heard.promise]);
    over.abort();
    return signal?.aborted === true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leave();
  }
}
