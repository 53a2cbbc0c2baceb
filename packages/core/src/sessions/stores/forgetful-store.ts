import type { DeleteOptions, Store } from '../../contract/store.ts';
import type { ChangeDraft } from '../content/change-draft.ts';
import { MemorySessions, storeOf } from './memory-store.ts';
import { isResumable } from './resumable.ts';

/** The number of anonymous sessions with an aborted or failed run that are kept. */
const most = 1000;

const forgetful = new WeakMap<Store, ForgetfulSessions>();

/** Returns true for stores that discard anonymous sessions. */
export function isForgetful(store: Store): boolean {
  return forgetful.has(store);
}

/**
 * Creates a memory store that discards an anonymous session when its run ends. It keeps sessions that wait for answers,
 * and the last 1,000 whose run was aborted or failed, so that they can be resumed.
 */
export function forgetfulStore(): Store {
  const sessions = new ForgetfulSessions();
  const store = storeOf(sessions);
  forgetful.set(store, sessions);
  return store;
}

/** Registers a cleanup for when the store discards an anonymous session. Replaces an earlier one. */
export function whenForgotten(store: Store, sessionId: string, tidy: () => Promise<void>): void {
  if (isAnonymous(sessionId)) forgetful.get(store)?.whenForgotten(sessionId, tidy);
}

/** Settles when all cleanups of discarded sessions have finished; undefined if none is running. */
export function tidying(store: Store): Promise<unknown> | undefined {
  return forgetful.get(store)?.tidying;
}

/** The prefix of the random ids of sessions that no caller named. They are discarded when their run ends. */
export const anonymous = 'anonymous';

const anonymousForm = new RegExp(`^${anonymous}_[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}$`);

/** Returns true for the id of such a session: this prefix, and a random UUID. */
export function isAnonymous(sessionId: string): boolean {
  return anonymousForm.test(sessionId);
}

class ForgetfulSessions extends MemorySessions {
  /** Sessions with an aborted or failed run, the oldest first. */
  readonly #unfinished = new Set<string>();
  /** The cleanup of each session. */
  readonly #tidies = new Map<string, () => Promise<void>>();
  readonly #tidying = new Set<Promise<void>>();

  get tidying(): Promise<unknown> | undefined {
    return this.#tidying.size === 0 ? undefined : Promise.all(this.#tidying);
  }

  whenForgotten(sessionId: string, tidy: () => Promise<void>): void {
    this.#tidies.set(sessionId, tidy);
  }

  override commit(sessionId: string, revision: number, change: ChangeDraft): number {
    const next = super.commit(sessionId, revision, change);
    if (change.claim !== undefined) this.#unfinished.delete(sessionId);
    if (change.claim === null && isAnonymous(sessionId)) this.#tidy(sessionId, change);
    return next;
  }

  override delete(sessionId: string, options?: DeleteOptions): boolean {
    const isDeleted = super.delete(sessionId, options);
    this.#unfinished.delete(sessionId);
    this.#tidies.delete(sessionId);
    return isDeleted;
  }

  /** Discards the session of an ended run, or the oldest unfinished one. */
  #tidy(sessionId: string, { run }: ChangeDraft): void {
    if (run === undefined || run.status === 'interrupted') return;
    if (!isResumable(run)) return this.#forget(sessionId);
    this.#unfinished.add(sessionId);
    const [oldest] = this.#unfinished;
    if (this.#unfinished.size > most && oldest !== undefined) this.#forget(oldest);
  }

  #forget(sessionId: string): void {
    const tidy = this.#tidies.get(sessionId);
    this.delete(sessionId);
    if (tidy === undefined) return;
    const tidied = tidy().finally(() => this.#tidying.delete(tidied));
    this.#tidying.add(tidied);
  }
}
