import { describe, expect, it } from 'vitest';

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

describe('a title that is made of the input', () => {
  // These take 921 of the 1,023 bytes of a session's notes, and leave 91 to a title.
  const notes = { owner: '🧅'.repeat(100), cwd: `/${'d'.repeat(499)}` };

  it.each<readonly [string, string, string | undefined, string | undefined]>([
    ['is whole where it fits', 'x'.repeat(80), undefined, 'x'.repeat(80)],
    ['is shortened to what the other notes leave', 'x'.repeat(80), 'm'.repeat(26), `${'x'.repeat(47)}…`],
    ['is shortened once, by whole characters', '🧅'.repeat(81), 'm'.repeat(26), `${'🧅'.repeat(11)}…`],
    ['is shortened by what JSON makes of it', '"'.repeat(70), 'm'.repeat(26), `${'"'.repeat(23)}…`],
    ['is left out where the others leave nothing', 'x'.repeat(80), 'm'.repeat(73), undefined],
  ])('%s', async (_, input, modelName, title) => {
    const store = memoryStore();
    const given = { ...notes, ...(modelName === undefined ? {} : { modelName }) };
    await submitRun(store, 's', input, { agent: 'a', ...given, titleFromInput: true });
    expect((await store.load('s'))?.about).toEqual({ ...given, ...(title === undefined ? {} : { title }) });
  });

  it('is on one line, without control characters', async () => {
    const store = memoryStore();
    await submitRun(store, 's', ' \u001B[31mRed\n\tonions\u0000 ', { agent: 'a', titleFromInput: true });
    expect((await store.load('s'))?.about).toEqual({ title: '[31mRed onions' });
  });

  it('fits beside the notes that a session has', async () => {
    const store = memoryStore();
    await store.commit('s', 0, { about: { ...notes, modelName: 'm'.repeat(26) } });
    await submitRun(store, 's', 'x'.repeat(80), { agent: 'a', titleFromInput: true });
    expect((await store.load('s'))?.about?.title).toBe(`${'x'.repeat(47)}…`);
  });
});
