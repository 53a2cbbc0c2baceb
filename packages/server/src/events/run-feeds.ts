import type { RunRecord, Store } from '@shallot/core/store';

import type { LiveEvents } from './live-events.ts';
import { RunFeed } from './run-feed.ts';

/** The time that a feed without readers is kept for clients that reconnect, in milliseconds. */
const lingerMs = 60_000;

/** The feeds of runs that clients of this server follow: one for each session. */
export class RunFeeds {
  readonly #live: LiveEvents;
  readonly #onError: (error: unknown) => void;
  readonly #feeds = new Map<string, KeptFeed>();
  readonly #closing = new AbortController();

  constructor(live: LiveEvents, onError: (error: unknown) => void) {
    this.#live = live;
    this.#onError = onError;
  }

  /** Aborted when the server closes: streams end then. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /**
   * Returns the feed of a session's run, which follows the run from now on. It is kept until each `join` has its `leave`,
   * or until the session has another run.
   */
  join(store: Store, sessionId: string, run: RunRecord): RunFeed {
    let kept = this.#feeds.get(sessionId);
    if (kept?.feed.runId !== run.id) {
      kept?.stop.abort();
      kept = {
        feed: new RunFeed(sessionId, run.id),
        stop: new AbortController(),
        readers: 0,
        isStreamed: false,
      };
      this.#feeds.set(sessionId, kept);
    }
    const { feed, stop } = kept;
    kept.readers += 1;
    clearTimeout(kept.forgetting);
    const { signal } = stop;
    if (this.#closing.signal.aborted) stop.abort();
    if (feed.isBehind(run)) void feed.follow(this.#live, store, { signal, onError: this.#onError });
    return feed;
  }

  /** Leaves a feed. `isStreamed` is true if the client has received events, and may reconnect for more. */
  leave(sessionId: string, feed: RunFeed, isStreamed: boolean): void {
    const kept = this.#feeds.get(sessionId);
    if (kept?.feed !== feed) return;
    kept.readers -= 1;
    kept.isStreamed ||= isStreamed;
    if (kept.readers > 0) return;
    const forget = (): void => {
      // An abort raises an error, which is more expensive than the check.
      if (!feed.isOver) kept.stop.abort();
      if (this.#feeds.get(sessionId) === kept) this.#feeds.delete(sessionId);
    };
    if (kept.isStreamed) kept.forgetting = setTimeout(forget, lingerMs).unref();
    else forget();
  }

  close(): void {
    this.#closing.abort();
    for (const { forgetting, stop } of this.#feeds.values()) {
      clearTimeout(forgetting);
      stop.abort();
    }
    this.#feeds.clear();
  }
}

interface KeptFeed {
  readonly feed: RunFeed;
  readonly stop: AbortController;
  readers: number;
  isStreamed: boolean;
  forgetting?: NodeJS.Timeout;
}
