import { describe, expect, it } from 'vitest';

import { message, runRecord } from '../../../testing/src/store/store-samples.ts';
import type { RunRecord, SessionChange, Store } from '../contract/store.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { endedChild } from './ended-child.ts';

const usage = { input: 1, output: 1, total: 2, modelCalls: 1 };

async function storeWith(
  run: Partial<RunRecord> | undefined,
  about: SessionChange['about'] = child,
): Promise<Store> {
  const store = memoryStore();
  const record = { ...runRecord('r', 'completed'), agent: { id: 'reader' }, usage, ...run };
  await store.commit('c', 0, {
    append: [message('a'), message('b', 'The answer.'), message('d')],
    ...(about !== undefined && { about }),
    ...(run !== undefined && { run: record }),
  });
  return store;
}

const child = { parent: 's', root: 's' };

describe('a child whose run is over', () => {
  it('has its last message for an answer', async () => {
    const position = { at: 'end', message: 'b', finish: 'length' } as const;
    const store = await storeWith({ position, stopReason: 'length', step: 3 });
    expect(await endedChild(store, 's', 'c')).toEqual({
      sessionId: 'c',
      agent: 'reader',
      status: 'ended',
      result: {
        sessionId: 'c',
        output: undefined,
        text: 'The answer.',
        stopReason: 'length',
        finish: 'length',
        usage,
        steps: 3,
      },
    });
  });

  it.each<[string, Partial<RunRecord>]>([
    ['ended without a message', { position: { at: 'end' } }],
    ['was stored before it had a position', {}],
  ])('has no text if it %s', async (_, run) => {
    expect(await endedChild(await storeWith(run), 's', 'c')).toMatchObject({
      result: { text: '', stopReason: 'answer', finish: undefined },
    });
  });

  it.each<[string, Partial<RunRecord>, string]>([
    [
      'failed',
      {
        status: 'failed',
        position: { at: 'end' },
        stopReason: 'error',
        failure: { code: 'INTERNAL', message: 'no' },
      },
      'no',
    ],
    [
      'was aborted',
      { status: 'aborted', position: { at: 'end' }, stopReason: 'abort' },
      'The run was aborted.',
    ],
    ['never ended', { status: 'running' }, 'It ended before it had an answer, with the run that began it.'],
  ])('says why it %s', async (_, run, error) => {
    expect(await endedChild(await storeWith(run), 's', 'c')).toEqual({
      sessionId: 'c',
      agent: 'reader',
      status: 'failed',
      error,
    });
  });
});

it.each<[string, Partial<RunRecord> | undefined, SessionChange['about']]>([
  ['of another session', {}, { parent: 't', root: 't' }],
  ['of nobody', {}, { title: 'Its own' }],
  ['that has no run', undefined, child],
])('a session %s is no child', async (_, run, about) => {
  expect(await endedChild(await storeWith(run, about), 's', 'c')).toBeUndefined();
  expect(await endedChild(memoryStore(), 's', 'c')).toBeUndefined();
});
