import { isShallotError } from '../../base/errors.ts';
import type { Store } from '../../contract/store.ts';
import type { ForOwner } from './for-owner.ts';
import { SessionWatch } from './session-watch.ts';

/** Options of functions that wait for the process that works on a session. */
export interface WaitOptions extends ForOwner {
  /** The longest time to wait for the process that works on the session, in milliseconds. Default: no limit. */
  readonly waitMs?: number;
  /** Ends the wait; nothing is changed then. */
  readonly signal?: AbortSignal;
}

/** The pause between two attempts, in milliseconds: at first, and at most. */
const [firstPauseMs, longestPauseMs] = [20, 500];

/** Calls `change` repeatedly until it does not fail with `STORE_CONFLICT`. */
export async function whenReleased<T>(
  store: Store,
  sessionId: string,
  { waitMs = Infinity, signal }: WaitOptions,
  change: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const end = performance.now() + waitMs;
  let watch: SessionWatch | undefined;
  try {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      watch?.begin();
      try {
        return await change();
      } catch (error) {
        // Another change came first, or the step has not ended.
        if (!isShallotError(error, 'STORE_CONFLICT') || performance.now() >= end) throw error;
      }
      watch ??= await SessionWatch.of(store, sessionId);
      await watch.wait(Math.min(pauseMs, end - performance.now()), signal);
      signal?.throwIfAborted();
    }
  } finally {
    await watch?.[Symbol.asyncDispose]();
  }
}
