import { setTimeout as sleep } from 'node:timers/promises';

import type { Store } from '../../contract/store.ts';

/** Waits for the next change of a session: notified by the store if it supports that, else by timeout. */
export class SessionWatch {
  #heard = Promise.withResolvers<void>();
  #leave: () => void = () => undefined;

  static async of(store: Store, sessionId: string): Promise<SessionWatch> {
    const watch = new SessionWatch();
    const leave = await store.watch?.(sessionId, () => watch.#heard.resolve());
    if (leave !== undefined) watch.#leave = leave;
    return watch;
  }

  /** Starts listening. Changes from here on end the next `wait`. */
  begin(): void {
    this.#heard = Promise.withResolvers();
  }

  /** Waits for a change or the timeout. Returns true if `signal` was aborted. */
  async wait(atMostMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    const over = new AbortController();
    const either = AbortSignal.any([over.signal, ...(signal === undefined ? [] : [signal])]);
    // Rejects when either signal is aborted.
    const waited = sleep(atMostMs, undefined, { signal: either }).catch(() => undefined);
    await Promise.race([waited, this.#heard.promise]);
    over.abort();
    return signal?.aborted === true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leave();
  }
}
