import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import { isShallotError } from '../../src/index.ts';
import type { SessionRecord, Store } from '../../src/store.ts';
import type { Life } from './life.ts';
import type { PlainRecord, PlainStore } from './model/plain-store.ts';

/** Returns the store of one process: it makes each commit in the plain store, too, and compares the two. */
export function watchedStore(inner: Store, plain: PlainStore, life: Life, isSlow: boolean): Store {
  const { problems } = life.course;
  return {
    async load(id) {
      if (isSlow) await setImmediate();
      const record = await inner.load(id);
      if (!isDeepStrictEqual(record && plainRecord(record), plain.record && plainRecord(plain.record)))
        problems.push('the store has another record than the plain one');
      return record;
    },
    async commit(id, revision, change) {
      const sent = life.send();
      await life.pass('commit');
      if (isSlow) await setImmediate();
      if (sent.fails || life.isStoreFailing) throw new Error('the disk is full');
      const isAccepted = plain.accepts(revision, change);
      let next: number;
      try {
        next = await inner.commit(id, revision, change);
      } catch (error) {
        if (isAccepted || !isShallotError(error, 'STORE_CONFLICT'))
          problems.push(`the store refuses: ${String(error)}`);
        throw error;
      }
      if (!isAccepted) problems.push('the store accepts a commit that it must refuse');
      if (next <= revision) problems.push(`revision ${next} follows ${revision}`);
      plain.apply(next, change);
      sent.kept();
      await life.pass('commit');
      return next;
    },
    async renew(id, claim) {
      await life.pass('renew');
      if (isSlow) await setImmediate();
      const renewed = await inner.renew(id, claim);
      if (plain.renew(claim) !== (renewed !== false))
        problems.push('the store renews a claim that is another one');
      return renewed;
    },
    requestStop: (id) => inner.requestStop(id),
    list: (filter) => inner.list(filter),
    delete: (id) => inner.delete(id),
  };
}

/** Returns the record of either store as plain JSON, for comparison. */
function plainRecord(record: SessionRecord | PlainRecord): unknown {
  const { revision, messages, state, journal, run, claim } = record;
  return JSON.parse(JSON.stringify({ revision, messages, state, journal, run, claim }));
}
