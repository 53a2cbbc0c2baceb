import { isShallotError } from '../../base/errors.ts';
import type { Store } from '../../contract/store.ts';
import type { ForOwner } from './for-owner.ts';
import { SessionWatch } from './session-watch.ts';

/** Options of functions that wait for the process that works on a session. */
export interface WaitOptions extends ForOwner {
  /** The maximum time to wait for the process that works on the session, in milliseconds. Default: no limit. */
  readonly waitMs?: number;
  /** Ends the wait, which rejects with its reason. Nothing is changed then. */
  readonly signal?: AbortSignal;
}

/** The first and the longest pause between two attempts, in milliseconds. */
const [firstPauseMs, longestPauseMs] = [20, 500];

/**
 * Calls `change`, again while it fails with `STORE_CONFLICT` and `waitMs` has not passed, and returns its result. @throws the
 * error of `change`, the reason of `signal`
 */
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
        // Another change came first, or the step of the run has not ended.
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
