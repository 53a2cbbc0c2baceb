import { describe, expect, it, vi } from 'vitest';

import { message, runRecord } from '../../../testing/src/store/store-samples.ts';
import { notedLog } from '../../test/noted-log.ts';
import { ShallotError } from '../base/errors.ts';
import type { RunRecord, Store } from '../contract/store.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { submitUnread } from './submit-unread.ts';

/** A store with a run that has ended, and has left these messages. */
async function storeWith(left: readonly string[], rest: Partial<RunRecord> = {}): Promise<Store> {
  const store = memoryStore();
  await store.commit('s', 0, { run: runRecord('r', 'running') });
  for (const id of left) await store.send?.('s', { id, message: message(id) });
  const run = {
    ...runRecord('r', 'completed'),
    agent: { id: 'bee' },
    submitted: { metadata: { a: 1 } },
    ...rest,
  };
  await store.commit('s', 1, { run });
  return store;
}

const { log: silent } = notedLog();

describe('messages that a run has left', () => {
  it('are the input of another run of its agent, with its options, and stay in the inbox', async () => {
    const store = await storeWith(['a', 'b']);
    expect(await submitUnread(store, 's', silent)).toBe(true);
    const { run } = (await store.load('s')) ?? {};
    expect(run).toMatchObject({
      status: 'running',
      agent: { id: 'bee' },
      position: { at: 'input', input: [{ id: 'a' }, { id: 'b' }] },
      submitted: { isNew: true, metadata: { a: 1 } },
    });
    expect(await store.inbox?.('s')).toHaveLength(2);
    expect(await store.unsend?.('s', 'a')).toBe(false);
  });

  it('begin no run if all were withdrawn, and leave the session to nobody', async () => {
    const store = await storeWith([]);
    const { revision = 0 } = (await store.load('s')) ?? {};
    expect(await submitUnread(store, 's', silent)).toBe(false);
    expect(await store.load('s')).toMatchObject({
      revision: revision + 1,
      run: { id: 'r', status: 'completed' },
    });
    const answers = await storeWith([], { status: 'running' });
    await answers.send?.('s', { id: 'x', answers: {} });
    await answers.commit('s', 2, { run: { ...runRecord('r', 'completed'), submitted: {} } });
    expect(await submitUnread(answers, 's', silent)).toBe(false);
    expect(await answers.inbox?.('s')).toEqual([]);
  });

  it.each<readonly [string, Partial<RunRecord>, string | undefined, boolean]>([
    ['a run that was not submitted', { submitted: undefined as never }, undefined, false],
    ['one that this process has executed', { submitted: undefined as never }, 'r', true],
    ['one that another has executed since', { submitted: undefined as never }, 'other', false],
    ['one that has not ended', { status: 'running' }, 'r', false],
    ['one that has failed', { status: 'failed' }, undefined, false],
  ])('of %s', async (_, rest, runId, isSubmitted) => {
    expect(await submitUnread(await storeWith(['a'], rest), 's', silent, runId)).toBe(isSubmitted);
  });

  it('begin no run in a session that is gone, and in a store without an inbox', async () => {
    expect(await submitUnread(memoryStore(), 's', silent)).toBe(false);
    const { inbox: _, ...store } = await storeWith(['a']);
    expect(await submitUnread(store, 's', silent)).toBe(false);
  });

  it.each(['STORE_CONFLICT', 'SESSION_UNFINISHED', 'STORE_FAILED'] as const)(
    'wait for the next run after %s, which is said unless somebody else has begun it',
    async (code) => {
      const store = await storeWith(['a']);
      vi.spyOn(store, 'commit').mockRejectedValue(new ShallotError(code, { message: 'no' }));
      const { log, lines } = notedLog();
      expect(await submitUnread(store, 's', log)).toBe(false);
      const said = 'The messages that the run of session "s" left wait for its next run: no';
      expect(lines).toEqual(code === 'STORE_FAILED' ? [['warn', { sessionId: 's', code }, said]] : []);
    },
  );
});
