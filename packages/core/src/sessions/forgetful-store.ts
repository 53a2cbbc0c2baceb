import type { SessionChange, Store } from '../contract/store.ts';
import { isAnonymous } from './anonymous.ts';
import { memoryStore, sharesMemory } from './memory-store.ts';
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
  const sessions = memoryStore();
  /** Those that were aborted or failed, the oldest first. */
  const unfinished = new Set<string>();

  /** A run begins or ends. */
  const tidy = async (sessionId: string, { claim, run }: SessionChange): Promise<void> => {
    unfinished.delete(sessionId);
    if (claim !== null || run === undefined || run.status === 'interrupted') return;
    if (!isResumable(run)) return void (await sessions.delete(sessionId));
    unfinished.add(sessionId);
    if (unfinished.size <= most) return;
    for (const oldest of unfinished) {
      unfinished.delete(oldest);
      await sessions.delete(oldest);
      return;
    }
  };

  const store: Store = {
    ...sessions,
    commit(sessionId, revision, change) {
      const committed = sessions.commit(sessionId, revision, change);
      if (change.claim === undefined || !isAnonymous(sessionId)) return committed;
      return committed.then(async (next) => {
        await tidy(sessionId, change);
        return next;
      });
    },
    async delete(sessionId) {
      unfinished.delete(sessionId);
      return sessions.delete(sessionId);
    },
  };
  forgetful.add(store);
  sharesMemory(store, sessions);
  return store;
}
