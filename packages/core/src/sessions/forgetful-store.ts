import type { Store } from '../contract/store.ts';
import { isAnonymous } from './anonymous.ts';
import type { LiveChange } from './journal-change.ts';
import { MemorySessions, storeOf } from './memory-store.ts';
import { isResumable } from './resumable.ts';

/** How many anonymous sessions are kept whose run was aborted or failed, and can be taken up. */
const most = 1000;

const forgetful = new WeakSet<Store>();

/** Whether a store forgets anonymous sessions. */
export function isForgetful(store: Store): boolean {
  return forgetful.has(store);
}

/**
 * A memory store that forgets an anonymous session when its run ends, unless `resume` can take the run up: it keeps those that
 * wait for answers, and the last 1,000 of those that were aborted or failed.
 */
export function forgetfulStore(): Store {
  const store = storeOf(new ForgetfulSessions());
  forgetful.add(store);
  return store;
}

class ForgetfulSessions extends MemorySessions {
  /** Those that were aborted or failed, the oldest first. */
  readonly #unfinished = new Set<string>();

  override commit(sessionId: string, revision: number, change: LiveChange): number {
    const next = super.commit(sessionId, revision, change);
    if (change.claim !== undefined && isAnonymous(sessionId)) this.#tidy(sessionId, change);
    return next;
  }

  override delete(sessionId: string): boolean {
    this.#unfinished.delete(sessionId);
    return super.delete(sessionId);
  }

  /** A run begins or ends. */
  #tidy(sessionId: string, { claim, run }: LiveChange): void {
    this.#unfinished.delete(sessionId);
    if (claim !== null || run === undefined || run.status === 'interrupted') return;
    if (!isResumable(run)) return void this.delete(sessionId);
    this.#unfinished.add(sessionId);
    const [oldest] = this.#unfinished;
    if (this.#unfinished.size > most && oldest !== undefined) this.delete(oldest);
  }
}
