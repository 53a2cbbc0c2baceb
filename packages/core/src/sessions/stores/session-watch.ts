import type { Store } from '../../contract/store.ts';

/** Captured here, so that later replacements of the globals, such as fake timers, have no effect. */
const { setTimeout: start, clearTimeout: stop } = globalThis;

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
    if (signal?.aborted === true) return true;
    // Without a composite signal: for each streamed chunk, it and its error would cost more than the query that
    // follows.
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = start(resolve, atMostMs);
    const leave = (): void => resolve();
    signal?.addEventListener('abort', leave, { once: true });
    await Promise.race([promise, this.#heard.promise]);
    stop(timer);
    signal?.removeEventListener('abort', leave);
    return signal?.aborted ?? false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leave();
  }
}
