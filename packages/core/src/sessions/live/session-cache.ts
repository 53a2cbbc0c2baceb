import { setImmediate as tick } from 'node:timers/promises';

import type { Store } from '../../contract/store.ts';
import type { KnownSession } from '../content/known-session.ts';
import { findInMemory, isInMemory } from '../stores/memory-store.ts';
import type { LiveSession } from './live-session.ts';

/** Messages measured at a time, which takes well under a millisecond. */
const slice = 1000;

/** The map that contains a cached session, and the session's approximate size in bytes. */
interface Kept {
  readonly sessions: Map<string, KnownSession>;
  bytes: number;
}

/**
 * Caches recently used sessions, so that their next run need not load them. Revisions are never reused, so a commit at
 * a cached revision fails if the session has changed.
 */
export class SessionCache {
  readonly #maxBytes: number;
  readonly #stores = new WeakMap<Store, Map<string, KnownSession>>();
  /** All cached sessions in order of use, the most recent last. */
  readonly #all = new Map<KnownSession, Kept>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The approximate size of the cache in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Removes a session from the cache and returns it, because the run that takes it changes it. Sessions of memory
   * stores come from the store itself. Undefined if the session is in neither.
   */
  take(store: Store, sessionId: string): KnownSession | undefined {
    const known = this.#stores.get(store)?.get(sessionId);
    if (known === undefined) return findInMemory(store, sessionId);
    this.#drop(known);
    return known;
  }

  /** Caches the session of an ended run, unless its store is in memory or lacks changes. */
  keep(store: Store, session: LiveSession): void {
    if (isInMemory(store)) return;
    const known = session.known();
    if (known === undefined) return;
    const sessions = this.#stores.get(store) ?? new Map<string, KnownSession>();
    const old = sessions.get(known.id);
    if (old !== undefined) this.#drop(old);
    this.#stores.set(store, sessions.set(known.id, known));
    this.#all.set(known, { sessions, bytes: 0 });
    this.#grow(known, known.content.bytes);
    void this.#weighMessages(known);
  }

  /** Removes everything from the cache. */
  clear(): void {
    for (const known of this.#all.keys()) this.#drop(known);
  }

  /** Measures a long session in slices, so that the event loop is not blocked. */
  async #weighMessages(known: KnownSession): Promise<void> {
    const { content } = known;
    while (!content.isWeighed && this.#all.has(known)) {
      this.#grow(known, content.weighMore(slice));
      if (!content.isWeighed) await tick();
    }
  }

  #grow(known: KnownSession, bytes: number): void {
    const kept = this.#all.get(known);
    if (kept === undefined) return;
    kept.bytes += bytes;
    this.#bytes += bytes;
    for (const oldest of this.#all.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(known: KnownSession): void {
    const kept = this.#all.get(known);
    if (kept === undefined) return;
    this.#all.delete(known);
    kept.sessions.delete(known.id);
    this.#bytes -= kept.bytes;
  }
}

/** The default cache, shared by agents that use the same stores. */
export const sharedSessions = new SessionCache(64 * 2 ** 20);
