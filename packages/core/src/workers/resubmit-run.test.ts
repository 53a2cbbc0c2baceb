import { describe, expect, it } from 'vitest';

import { runRecord } from '../../../testing/src/store/store-samples.ts';
import { newClaim } from '../base/claim.ts';
import type { RunRecord, SessionChange, Store } from '../contract/store.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { resubmitRun } from './resubmit-run.ts';
import { setModelName, setTitle } from './set-title.ts';

async function storeWith(change: SessionChange): Promise<Store> {
  const store = memoryStore();
  await store.commit('s', 0, change);
  return store;
}

const coded = (code: string): object => ({ code });
const claim = newClaim('me', 60_000);

describe('a run that is submitted again', () => {
  const failure = { code: 'TOOL_GONE', message: 'gone' } as const;
  const stopped = {
    failure,
    stopReason: 'abort',
    attempts: { count: 3, notBefore: 9 },
    parked: true,
  } as const;

  it.each(['running', 'aborted', 'failed', 'interrupted'] as const)(
    'goes on at its position: %s',
    async (status) => {
      const store = await storeWith({ run: { ...runRecord('r', status), ...stopped } });
      await resubmitRun(store, 's');
      expect((await store.load('s'))?.run).toEqual(runRecord('r', 'running'));
    },
  );

  it('is not stopped by a request that its process did not live to carry out', async () => {
    const dead = { ...newClaim('me', 60_000), host: 'elsewhere', expiresAt: 0 };
    const store = await storeWith({ run: runRecord('r', 'running'), claim: dead });
    await store.requestStop('s');
    await resubmitRun(store, 's');
    expect(await store.load('s')).toMatchObject({ run: { status: 'running' } });
    expect(await store.load('s')).not.toHaveProperty('stopRequested');
  });

  it('waits for its process', async () => {
    const store = await storeWith({ run: runRecord('r', 'running'), claim });
    await expect(resubmitRun(store, 's', { waitMs: 0 })).rejects.toMatchObject(coded('STORE_CONFLICT'));
    const submitting = resubmitRun(store, 's');
    await store.commit('s', 1, { claim: null });
    await submitting;
  });

  it('is refused while a question is open, with its id', async () => {
    const asking = runRecord('r', 'interrupted', 2);
    const store = await storeWith({ run: { ...asking, answers: { 'r-0': 1 } } });
    await expect(resubmitRun(store, 's')).rejects.toMatchObject({
      code: 'SESSION_INTERRUPTED',
      message: 'Session "s" is waiting for answers to r-1. Answer them first.',
    });
    const all = await storeWith({ run: { ...asking, answers: { 'r-0': 1, 'r-1': 1 } } });
    await resubmitRun(all, 's');
    expect((await all.load('s'))?.run?.status).toBe('running');
  });

  it.each<readonly [string, SessionChange, string]>([
    ['that has completed', { run: runRecord('r', 'completed') }, 'SESSION_NOT_RESUMABLE'],
    ['that is missing', {}, 'SESSION_NOT_RESUMABLE'],
    ['of another', { run: runRecord('r', 'failed'), about: { owner: 'bob' } }, 'SESSION_OF_ANOTHER'],
    ['of a child', { run: runRecord('r', 'failed'), about: { owner: 'ann', root: 'p' } }, 'SESSION_IS_CHILD'],
  ])('%s is refused', async (_, change, code) => {
    const owner = change.about === undefined ? {} : { owner: 'ann' };
    await expect(resubmitRun(await storeWith(change), 's', owner)).rejects.toMatchObject(coded(code));
    await expect(resubmitRun(memoryStore(), 's')).rejects.toMatchObject(coded('SESSION_NOT_FOUND'));
  });
});

describe('the notes of a session', () => {
  const about = { owner: 'ann', title: 'old' };
  const aboutOf = async (store: Store): Promise<unknown> => (await store.load('s'))?.about;
  const running = { run: runRecord('r', 'running') } as { readonly run: RunRecord };

  it('have another title, also while a run is at work', async () => {
    const store = await storeWith({ ...running, about, claim });
    await setTitle(store, 's', 'new', { owner: 'ann' });
    expect(await store.load('s')).toMatchObject({ about: { owner: 'ann', title: 'new' }, revision: 1 });
    await expect(setTitle(store, 's', 'x', { owner: 'bob' })).rejects.toMatchObject(
      coded('SESSION_OF_ANOTHER'),
    );
    await expect(setTitle(store, 's', 'x'.repeat(101))).rejects.toMatchObject(coded('OPTION_INVALID'));
    await expect(setTitle(store, 'nowhere', 'x')).rejects.toMatchObject(coded('SESSION_NOT_FOUND'));
  });

  it('have the model that was chosen, unless a run is at work', async () => {
    const store = await storeWith({ about });
    await setModelName(store, 's', 'a/b', { owner: 'ann' });
    expect(await aboutOf(store)).toEqual({ ...about, modelName: 'a/b' });
    await expect(setModelName(store, 's', 'x'.repeat(201))).rejects.toMatchObject(coded('OPTION_INVALID'));
    const busy = await storeWith({ ...running, claim });
    await expect(setModelName(busy, 's', 'a/b')).rejects.toMatchObject(coded('STORE_CONFLICT'));
  });

  it('are committed in a store that cannot set a title by itself, unless a run is at work', async () => {
    const { setTitle: _set, ...store } = await storeWith({});
    await setTitle(store, 's', 'new');
    expect(await store.load('s')).toMatchObject({ about: { title: 'new' }, revision: 2 });
    const { setTitle: _other, ...busy } = await storeWith({ ...running, claim });
    await expect(setTitle(busy, 's', 'new')).rejects.toMatchObject(coded('STORE_CONFLICT'));
  });

  it('are those of a session that is still there', async () => {
    const store = await storeWith({});
    store.setTitle = async () => false;
    await expect(setTitle(store, 's', 'new')).rejects.toMatchObject(coded('SESSION_NOT_FOUND'));
  });
});
