import { expect, it } from 'vitest';

import { ShallotError } from '../base/errors.ts';
import type { Store } from '../contract/store.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { submitRun } from './submit-run.ts';

/**
 * A store that loses the answer to a commit, and refuses the commit when it is tried again, because somebody else was faster:
 * a worker that has taken the run, or, before it, a program that has submitted another one.
 */
function losingAnswers(faster: 'worker' | 'program'): Store {
  const { commit, isLocal: _, ...rest } = memoryStore();
  return {
    ...rest,
    async commit(sessionId, revision, change) {
      if (faster === 'program') await submitRun({ ...rest, commit }, sessionId, 'First', { agent: 'a' });
      else await commit(sessionId, await commit(sessionId, revision, change), {});
      throw new ShallotError('STORE_CONFLICT', { message: 'Somebody else was first.' });
    },
  };
}

it('a run that a worker has taken before the answer to its commit arrives is accepted', async () => {
  const store = losingAnswers('worker');
  const id = await submitRun(store, 's', 'Hello', { agent: 'a' });
  expect((await store.load('s'))?.run?.id).toBe(id);
});

it('a run that comes after another one is refused', async () => {
  const submitted = submitRun(losingAnswers('program'), 's', 'Hello', { agent: 'a' });
  await expect(submitted).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
});
