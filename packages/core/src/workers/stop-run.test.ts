import { describe, expect, it, vi } from 'vitest';

import { runRecord } from '../../../testing/src/store/store-samples.ts';
import { newClaim } from '../base/claim.ts';
import { ShallotError } from '../base/errors.ts';
import type { RunRecord, SessionChange, Store } from '../contract/store.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { abortLeft, refuseOthers, stopRun } from './stop-run.ts';

async function storeWith(change: SessionChange): Promise<Store> {
  const store = memoryStore();
  await store.commit('s', 0, change);
  return store;
}

const run = (status: RunRecord['status'], rest: object = {}): RunRecord => ({
  ...runRecord('r', status),
  ...rest,
});
const child = { runId: 'p', callId: 'c', sessionId: 'root' };
const aboutChild = { parent: 'root', root: 'root' };

describe('stopping a run', () => {
  it('aborts one that no process executes', async () => {
    const dead = { ...newClaim('me', 60_000), host: 'elsewhere', expiresAt: 0 };
    for (const change of [{}, { claim: dead }]) {
      const store = await storeWith({ run: run('running'), ...change });
      expect(await stopRun(store, 's')).toBe(true);
      const { claim, run: aborted } = (await store.load('s')) ?? {};
      expect([claim, aborted]).toMatchObject([undefined, { status: 'aborted', stopReason: 'abort' }]);
    }
  });

  it('marks one that a process executes, again for each process that took it since', async () => {
    const store = await storeWith({ run: run('running'), claim: newClaim('me', 60_000) });
    const requestStop = vi.spyOn(store, 'requestStop');
    expect(await stopRun(store, 's')).toBe(true);
    expect(requestStop).toHaveBeenCalledTimes(2);
    expect((await store.load('s'))?.run?.status).toBe('running');
    expect(await store.renew('s', newClaim('me', 60_000))).toBe('stop');
  });

  it('has nothing to do where no run is unfinished', async () => {
    expect(await stopRun(memoryStore(), 's')).toBe(false);
    for (const change of [{}, { run: run('completed') }, { run: run('interrupted', { interrupts: [{}] }) }])
      expect(await stopRun(await storeWith(change), 's')).toBe(false);
  });

  it('is done when the run ends by itself meanwhile', async () => {
    const store = await storeWith({ run: run('running') });
    const requestStop = vi.spyOn(store, 'requestStop').mockImplementation(async (id) => {
      await store.commit(id, 1, { run: run('completed') });
      return true;
    });
    expect(await stopRun(store, 's')).toBe(true);
    expect(requestStop).toHaveBeenCalledTimes(1);
    const gone = await storeWith({ run: run('running') });
    vi.spyOn(gone, 'requestStop').mockResolvedValue(true);
    await gone.delete('s');
    expect(await stopRun(gone, 's')).toBe(true);
  });

  it('is asked for again when a worker is faster, and fails with the store', async () => {
    const store = await storeWith({ run: run('running') });
    const commit = vi.spyOn(store, 'commit');
    commit.mockRejectedValueOnce(new ShallotError('STORE_CONFLICT', { message: 'first' }));
    expect(await stopRun(store, 's')).toBe(true);
    expect((await store.load('s'))?.run?.status).toBe('aborted');
    const away = await storeWith({ run: run('running') });
    vi.spyOn(away, 'commit').mockRejectedValue(new ShallotError('STORE_FAILED', { message: 'away' }));
    await expect(stopRun(away, 's')).rejects.toThrow('away');
  });
});

describe('a run that was to be stopped, after its process left it,', () => {
  const dead = { ...newClaim('me', 60_000), host: 'elsewhere', expiresAt: 0 };

  it('is aborted', async () => {
    const store = await storeWith({ run: run('running'), claim: dead });
    await store.requestStop('s');
    await abortLeft(store, 's');
    const { claim, run: aborted, stopRequested } = (await store.load('s')) ?? {};
    expect([claim, aborted, stopRequested]).toMatchObject([
      undefined,
      { status: 'aborted', stopReason: 'abort' },
      undefined,
    ]);
  });

  it('is left to the process that has taken it since, and to what became of it', async () => {
    const taken = await storeWith({ run: run('running'), claim: newClaim('me', 60_000) });
    await taken.requestStop('s');
    const unmarked = await storeWith({ run: run('running') });
    const [completed, empty] = [await storeWith({ run: run('completed') }), await storeWith({})];
    for (const store of [completed, empty]) {
      const marked = await store.load('s');
      vi.spyOn(store, 'head').mockResolvedValue(marked && { ...marked, stopRequested: true });
    }
    for (const store of [taken, unmarked, completed, empty]) {
      await abortLeft(store, 's');
      expect((await store.load('s'))?.revision).toBe(1);
    }
    await abortLeft(memoryStore(), 's');
  });
});

describe('stopping a child', () => {
  it('marks one that a process executes', async () => {
    const claim = newClaim('me', 60_000, 'root');
    const store = await storeWith({ run: run('running', { parent: child }), about: aboutChild, claim });
    expect(await stopRun(store, 's')).toBe(true);
  });

  it.each([run('running', { parent: child }), run('interrupted', { parent: child, interrupts: [{}] })])(
    'is refused for one that waits: its root ends it ($status)',
    async (waiting) => {
      const store = await storeWith({ run: waiting, about: aboutChild });
      await expect(stopRun(store, 's')).rejects.toMatchObject({ code: 'SESSION_IS_CHILD' });
      expect((await store.load('s'))?.run?.status).toBe(waiting.status);
    },
  );

  it('has nothing to do for one that has ended, also while it is asked for', async () => {
    const ended = await storeWith({ run: run('completed', { parent: child }), about: aboutChild });
    expect(await stopRun(ended, 's')).toBe(false);
    const store = await storeWith({ run: run('running', { parent: child }), about: aboutChild });
    const head = vi.spyOn(store, 'head');
    const before = await store.head?.('s');
    head.mockResolvedValueOnce(before);
    await store.commit('s', 1, { run: run('completed', { parent: child }) });
    vi.spyOn(store, 'requestStop').mockResolvedValue(true);
    expect(await stopRun(store, 's')).toBe(true);
  });
});

it('a run is stopped only for the owner of its session', async () => {
  const store = await storeWith({ run: run('running'), about: { owner: 'ann' } });
  await expect(stopRun(store, 's', { owner: 'bob' })).rejects.toMatchObject({ code: 'SESSION_OF_ANOTHER' });
  expect(await stopRun(store, 's', { owner: 'ann' })).toBe(true);
  await refuseOthers(store, 'nowhere', 'bob');
});
