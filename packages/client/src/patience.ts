import { ClientError } from './client-error.ts';

const [shortestMs, longestMs] = [50, 5000];

/** Waits longer after each failure in succession, and gives up after too many. */
export class Patience {
  readonly #retries: number;
  readonly #signal: AbortSignal | undefined;
  #failures = 0;

  constructor(retries: number, signal: AbortSignal | undefined) {
    this.#retries = retries;
    this.#signal = signal;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  /**
   * Waits before the next attempt.
   * @throws the error itself, if another attempt would fail as well or if this one was the last
   */
  async afterFailure(error: unknown): Promise<void> {
    const isTransient = error instanceof ClientError && error.transient;
    this.#failures += 1;
    if (!isTransient || this.#failures > this.#retries) throw error;
    const waitMs = Math.min(shortestMs * 2 ** (this.#failures - 1), longestMs);
    // Without a random delay, all clients would return at once after a restart of the server.
    await pause(Math.max(waitMs * (0.5 + Math.random() / 2), error.retryAfterMs ?? 0), this.#signal);
  }
}

/** Rejects with the reason of an abort. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = (): void => reject(signal?.reason);
  const timer = setTimeout(resolve, ms);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
