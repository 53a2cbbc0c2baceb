import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Store } from '../contract/store.ts';
import type { KnownSession } from './known-session.ts';
import type { LiveSession } from './live-session.ts';
import { findInMemory, isInMemory } from './memory-store.ts';
import { weigh } from './weigh.ts';

/** A session whose last run has ended, as it was committed then. */
interface Hot {
  readonly known: KnownSession;
  readonly store: Store;
  /** How many of its messages have been weighed, and what these take. */
  weighed: number;
  messageBytes: number;
  /** What the rest takes. */
  readonly restBytes: number;
}

/** So many messages are weighed at a time: well under a millisecond. */
const slice = 1000;

/** What an entry of a set takes. */
const entryBytes = 40;

/**
 * The sessions that were used last, so that their next run need not read them. A revision is never used twice, so whoever
 * commits at the one that is known here learns whether the session is still the same.
 */
export class HotSessions {
  readonly #maxBytes: number;
  readonly #stores = new WeakMap<Store, Map<string, Hot>>();
  /** The one that was used last comes last. */
  readonly #all = new Set<Hot>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** About how much is kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * What is known of a session, which is not kept any longer: a run that takes it makes it another. One that its store keeps in
   * memory need not be kept here, too.
   */
  take(store: Store, sessionId: string): KnownSession | undefined {
    const hot = this.#stores.get(store)?.get(sessionId);
    if (hot === undefined) return findInMemory(store, sessionId);
    this.#drop(hot);
    return {
      ...hot.known,
      weight: { messages: hot.weighed, bytes: hot.messageBytes },
    };
  }

  /** Keeps a session whose run has ended, if the store has all of it, and has it elsewhere than in memory. */
  keep(store: Store, session: LiveSession): void {
    if (isInMemory(store)) return;
    const known = session.known();
    if (known === undefined) return;
    const old = this.#stores.get(store)?.get(known.id);
    if (old !== undefined) this.#drop(old);
    const { weight, state, journal, run, log } = known;
    const restBytes = weigh([state, journal, run]) + log.notedCalls * entryBytes;
    const { messages: weighed = 0, bytes: messageBytes = 0 } = weight ?? {};
    const hot: Hot = { known, store, weighed, messageBytes, restBytes };
    const sessions = this.#stores.get(store) ?? new Map<string, Hot>();
    this.#stores.set(store, sessions.set(known.id, hot));
    this.#all.add(hot);
    this.#grow(messageBytes + restBytes);
    void this.#weighMessages(hot);
  }

  /** A long session is weighed bit by bit: nobody waits for that. */
  async #weighMessages(hot: Hot): Promise<void> {
    const { log } = hot.known;
    while (hot.weighed < log.length && this.#all.has(hot)) {
      const to = Math.min(hot.weighed + slice, log.length);
      let bytes = 0;
      for (; hot.weighed < to; hot.weighed += 1) bytes += weigh(log.at(hot.weighed));
      hot.messageBytes += bytes;
      this.#grow(bytes);
      if (to < log.length) await nextTurn();
    }
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    for (const oldest of this.#all) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(hot: Hot): void {
    this.#all.delete(hot);
    this.#stores.get(hot.store)?.delete(hot.known.id);
    this.#bytes -= hot.messageBytes + hot.restBytes;
  }
}

/** Those of this process: an agent's forks, and agents with one store, share them. */
export const hotSessions = new HotSessions(64 * 2 ** 20);
