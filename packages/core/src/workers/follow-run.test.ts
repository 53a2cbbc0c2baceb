import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { messages, runRecord } from '../../../testing/src/store/store-samples.ts';
import type { RunRecord } from '../contract/store.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { SessionWatch } from '../sessions/stores/session-watch.ts';
import { followRun, type FollowOptions } from './follow-run.ts';
import type { FollowedEvent } from './followed-event.ts';
import { submitRun } from './submit-run.ts';

it('a follower looks again after half a second, or after `intervalMs`', async () => {
  const wait = vi.spyOn(SessionWatch.prototype, 'wait');
  onTestFinished(() => wait.mockRestore());
  const store = memoryStore();
  await submitRun(store, 's', 'Hello', { agent: 'test' });
  const signal = AbortSignal.abort();
  for (const options of [{}, { intervalMs: 5 }])
    for await (const event of followRun(store, 's', { ...options, signal }))
      expect(event.type).toBe('message');
  expect(wait.mock.calls.map(([ms]) => ms)).toEqual([500, 5]);
});

it('a follower that was told of a change waits for the next one', async () => {
  const store = memoryStore();
  await submitRun(store, 's', 'Hello', { agent: 'test' });
  const { list } = store;
  let [looks, tell] = [0, (): void => {}];
  store.watch = async (_, heard) => {
    tell = heard;
    return () => {};
  };
  store.list = (filter) => {
    looks += 1;
    if (looks > 9) throw new Error('It does not wait.');
    return list(filter);
  };
  const controller = new AbortController();
  const following = (async () => {
    for await (const event of followRun(store, 's', { intervalMs: 600_000, signal: controller.signal }))
      expect(event.type).toBe('message');
  })();
  const counts: number[] = [];
  for (const act of [() => {}, tellNow, () => {}, tellNow, () => {}]) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    act();
    counts.push(looks);
  }
  expect(counts.map((count) => count - (counts[0] ?? 0))).toEqual([0, 0, 1, 1, 2]);
  controller.abort();
  await following;

  function tellNow(): void {
    tell();
  }
});

describe('the end of a followed run', () => {
  const failure = { code: 'TOOL_GONE', message: 'gone' } as const;
  const finished = { position: { at: 'end', finish: 'stop' }, stopReason: 'end' };

  /** Follows a run that stands in its record like this. */
  async function follow(
    status: RunRecord['status'],
    rest: object = {},
    options: FollowOptions = {},
    interrupts = 0,
  ): Promise<FollowedEvent[]> {
    const store = memoryStore();
    const run = { ...runRecord('r', status, interrupts), ...rest };
    await store.commit('s', 0, { append: messages('r.1', 'r.2'), run, about: { owner: 'ann' } });
    const events: FollowedEvent[] = [];
    const signal = AbortSignal.abort();
    for await (const event of followRun(store, 's', { signal, ...options })) events.push(event);
    return events;
  }

  it.each<readonly [RunRecord['status'], object, object | undefined]>([
    ['completed', finished, { outcome: 'completed', stopReason: 'end', finish: 'stop' }],
    ['completed', { position: { at: 'end' } }, { outcome: 'completed' }],
    ['completed', { position: { at: 'step', finish: 'stop' } }, { outcome: 'completed' }],
    ['aborted', { stopReason: 'abort' }, { outcome: 'aborted', stopReason: 'abort' }],
    ['failed', { failure }, { outcome: 'failed', failure }],
    ['failed', { failure: { ...failure, transient: true }, submitted: {} }, undefined],
    ['running', {}, undefined],
    ['running', { parked: true, failure }, { outcome: 'failed', failure }],
    ['interrupted', { interrupts: [], answers: {} }, undefined],
    ['interrupted', { parked: true, stopReason: 'abort' }, { outcome: 'failed', stopReason: 'abort' }],
  ])('%s with %j is %j', async (status, rest, end) => {
    const events = await follow(status, rest);
    const { step: steps, usage } = runRecord('r', status);
    const whole = { type: 'run-end', runId: 'r', steps, usage, ...end };
    expect(events.slice(2)).toStrictEqual(end === undefined ? [] : [whole]);
  });

  it('comes after the open questions, and is theirs', async () => {
    const events = await follow('interrupted', { answers: { 'r-0': 1 } }, {}, 2);
    expect(events.slice(2)).toMatchObject([
      { type: 'interrupt', interrupt: { id: 'r-1' } },
      { type: 'run-end', outcome: 'interrupted', stopReason: 'interrupt' },
    ]);
  });

  it('is unknown once another run has begun', async () => {
    const store = memoryStore();
    await store.commit('s', 0, { run: { ...runRecord('r', 'running') } });
    const wait = vi.spyOn(SessionWatch.prototype, 'wait').mockImplementation(async () => {
      await store.commit('s', 1, { run: runRecord('q', 'interrupted', 1) });
      return false;
    });
    onTestFinished(() => wait.mockRestore());
    const events: FollowedEvent[] = [];
    for await (const event of followRun(store, 's')) events.push(event);
    expect(events).toStrictEqual([{ type: 'run-end', runId: 'r', outcome: undefined }]);
  });

  it('is shown after the messages that a follower has not got, to the owner only', async () => {
    const typesAfter = async (after: string): Promise<unknown> =>
      (await follow('completed', {}, { after })).map((event) =>
        'message' in event ? event.message.id : event.type,
      );
    expect(await typesAfter('r.1')).toEqual(['r.2', 'run-end']);
    expect(await typesAfter('r.2')).toEqual(['run-end']);
    expect(await typesAfter('gone')).toEqual(['reload', 'r.1', 'r.2', 'run-end']);
    expect(await follow('completed', {}, { owner: 'ann' })).toHaveLength(3);
    await expect(follow('completed', {}, { owner: 'bob' })).rejects.toMatchObject({
      code: 'SESSION_OF_ANOTHER',
    });
  });

  it('is none of a session without a run', async () => {
    const store = memoryStore();
    const next = (): Promise<unknown> => followRun(store, 's').next();
    await expect(next()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await store.commit('s', 0, {});
    await expect(next()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });
});
