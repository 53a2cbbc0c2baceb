import { describe, expect, it, vi } from 'vitest';

import { runRecord } from '../../../testing/src/store/store-samples.ts';
import { newClaim } from '../base/claim.ts';
import { ShallotError } from '../base/errors.ts';
import type { RunRecord, SessionChange, Store } from '../contract/store.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { answerInterrupts, pendingInterrupts } from './answer-interrupts.ts';

const asking = runRecord('r', 'interrupted', 2);
const live = { claim: newClaim('me', 60_000) };

async function storeWith(change: SessionChange = {}, run: RunRecord = asking): Promise<Store> {
  const store = memoryStore();
  await store.commit('s', 0, { run, ...change });
  return store;
}

const runOf = async (store: Store): Promise<RunRecord | undefined> => (await store.load('s'))?.run;

describe('answers to a run that nobody executes', () => {
  it('are recorded with their giver, and the other questions stay', async () => {
    const store = await storeWith();
    await answerInterrupts(store, 's', { 'r-0': 'yes' }, { by: 'ann' });
    expect(await runOf(store)).toMatchObject({
      answers: { 'r-0': 'yes' },
      answered: { 'r-0': { kind: 'approval', by: 'ann' } },
    });
    expect((await pendingInterrupts(store, 's')).map(({ id }) => id)).toEqual(['r-1']);
    await answerInterrupts(store, 's', { 'r-1': 'no' });
    expect((await runOf(store))?.answered?.['r-1']).not.toHaveProperty('by');
    expect(await pendingInterrupts(store, 'nowhere')).toEqual([]);
  });

  it('leave a parked run to workers again, and keep the failure of another', async () => {
    const failure = { code: 'TOOL_GONE', message: 'gone' } as const;
    const attempts = { count: 3, notBefore: 0 };
    const parked = await storeWith({}, { ...asking, failure, attempts, parked: true });
    await answerInterrupts(parked, 's', { 'r-0': 'yes' });
    const freed = await runOf(parked);
    for (const member of ['parked', 'failure', 'attempts']) expect(freed).not.toHaveProperty(member);
    const failed = await storeWith({}, { ...asking, failure, attempts });
    await answerInterrupts(failed, 's', { 'r-0': 'yes' });
    expect(await runOf(failed)).toMatchObject({ failure });
    expect(await runOf(failed)).not.toHaveProperty('attempts');
  });

  it.each<readonly [string, object, string]>([
    ['to an unknown question', { x: 1 }, 'INTERRUPT_UNKNOWN'],
    ['with a name that is too long', {}, 'OPTION_INVALID'],
  ])('%s are refused', async (_, answers, code) => {
    const by = code === 'OPTION_INVALID' ? { by: 'x'.repeat(101) } : {};
    await expect(answerInterrupts(await storeWith(), 's', answers as never, by)).rejects.toMatchObject({
      code,
    });
  });

  it('are refused for another owner, a child, and where nothing waits', async () => {
    const given = { 'r-0': 'yes' };
    const owned = await storeWith({ about: { owner: 'ann' } });
    await expect(answerInterrupts(owned, 's', given, { owner: 'bob' })).rejects.toMatchObject({
      code: 'SESSION_OF_ANOTHER',
    });
    await answerInterrupts(owned, 's', given, { owner: 'ann' });
    const child = await storeWith({ about: { parent: 'p', root: 'p' } });
    await expect(answerInterrupts(child, 's', given)).rejects.toMatchObject({ code: 'SESSION_IS_CHILD' });
    await expect(answerInterrupts(owned, 'nowhere', given)).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
  });
});

describe('answers to a run that a process executes', () => {
  it('are sent to it, and are given once it has taken them', async () => {
    const store = await storeWith(live);
    const giving = answerInterrupts(store, 's', { 'r-0': 'yes' }, { by: 'ann' });
    await expect
      .poll(() => store.inbox?.('s'), { interval: 1 })
      .toMatchObject([{ answers: { 'r-0': 'yes' }, by: 'ann' }]);
    const [entry] = (await store.inbox?.('s')) ?? [];
    await store.commit('s', 1, { taken: [entry?.id ?? ''] });
    await giving;
    expect((await runOf(store))?.answers).toEqual({});
  });

  it('are sent once, and recorded when it has ended without them', async () => {
    const store = await storeWith(live);
    const send = vi.spyOn(store, 'send');
    const giving = answerInterrupts(store, 's', { 'r-0': 'yes' });
    await expect.poll(() => send.mock.calls.length, { interval: 1 }).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await store.commit('s', 1, { claim: null });
    await giving;
    expect(send).toHaveBeenCalledTimes(1);
    expect((await runOf(store))?.answers).toEqual({ 'r-0': 'yes' });
    expect(await store.inbox?.('s')).toEqual([]);
  });

  it('are withdrawn when the wait is over, unless it is about to take them', async () => {
    const store = await storeWith(live);
    const waiting = { waitMs: 0 };
    const conflict = { code: 'STORE_CONFLICT' };
    await expect(answerInterrupts(store, 's', { 'r-0': 'yes' }, waiting)).rejects.toMatchObject(conflict);
    expect(await store.inbox?.('s')).toEqual([]);
    vi.spyOn(store, 'unsend').mockResolvedValue(false);
    await answerInterrupts(store, 's', { 'r-0': 'yes' }, waiting);
    expect(await store.inbox?.('s')).toHaveLength(1);
  });

  it('wait for its end in a store without an inbox', async () => {
    const { send: _send, inbox: _inbox, unsend: _unsend, ...store } = await storeWith(live);
    const given = { 'r-0': 'yes' };
    await expect(answerInterrupts(store, 's', given, { waitMs: 0 })).rejects.toMatchObject({
      code: 'STORE_CONFLICT',
    });
    const giving = answerInterrupts(store, 's', given);
    await store.commit('s', 1, { claim: null });
    await giving;
    expect((await runOf(store))?.answers).toEqual(given);
  });

  it('that somebody else gave first are reported, although they were sent', async () => {
    const store = await storeWith(live);
    vi.spyOn(store, 'unsend').mockResolvedValue(false);
    const giving = answerInterrupts(store, 's', { 'r-0': 'yes' });
    await expect.poll(() => store.inbox?.('s'), { interval: 1 }).toHaveLength(1);
    await store.commit('s', 1, { run: { ...asking, answers: { 'r-0': 'no' } } });
    await expect(giving).rejects.toMatchObject({ code: 'INTERRUPT_UNKNOWN' });
  });

  it('fail with the store, if they were not sent', async () => {
    const store = await storeWith();
    vi.spyOn(store, 'commit').mockRejectedValue(new ShallotError('STORE_FAILED', { message: 'away' }));
    await expect(answerInterrupts(store, 's', { 'r-0': 'yes' })).rejects.toThrow('away');
  });
});
