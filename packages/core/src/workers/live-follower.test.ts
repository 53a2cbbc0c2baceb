import { describe, expect, it } from 'vitest';

import type { AgentEvent } from '../contract/events.ts';
import type { PublishedEvents, RunRecord, Store } from '../contract/store.ts';
import { LiveFollower } from './live-follower.ts';

const start = { type: 'step-start', step: 2 } as unknown as AgentEvent;
const delta: AgentEvent = { type: 'text-delta', index: 0, text: 'a' };
const live = (rest: Partial<PublishedEvents> = {}): PublishedEvents => ({
  runId: 'r',
  step: 2,
  phase: 'model',
  events: [delta],
  number: 1,
  ...rest,
});
const at = (position: object): RunRecord => ({ id: 'r', step: 2, position }) as unknown as RunRecord;
const inStep = at({ at: 'step', begun: true });

describe('events of a step that is not in the record yet', () => {
  const take = (run: RunRecord, rest?: Partial<PublishedEvents>): number =>
    new LiveFollower({} as Store, 's').take([live(rest)], run).length;

  it('are shown', () => {
    expect(take(inStep)).toBe(1);
    expect(take(inStep, { step: 3 })).toBe(1);
    expect(take(inStep, { phase: 'tools' })).toBe(1);
    expect(take(at({ at: 'tools' }), { phase: 'tools' })).toBe(1);
    expect(take(at({ at: 'end' }), { step: 3 })).toBe(1);
  });

  it('are left out once the record has them, and those of other runs', () => {
    expect(take(inStep, { runId: 'other' })).toBe(0);
    expect(take(inStep, { step: 1 })).toBe(0);
    expect(take(at({ at: 'tools' }))).toBe(0);
    for (const position of [{ at: 'end' }, { at: 'children' }, { at: 'step' }, { at: 'step', begun: false }])
      expect(take(at(position))).toBe(0);
  });

  it('begin with a restart if the step was shown before', () => {
    const follower = new LiveFollower({} as Store, 's');
    expect(follower.take([live({ events: [start, delta] })], inStep)).toEqual([start, delta]);
    expect(follower.take([live({ events: [delta] })], inStep)).toEqual([delta]);
    expect(follower.take([live({ events: [start] })], inStep)).toEqual([{ type: 'restart' }, start]);
    follower.settle();
    expect(follower.take([live({ events: [start] })], inStep)).toEqual([start]);
  });

  it('are read after the last number that was taken', async () => {
    const asked: [string, number][] = [];
    const store = {
      published: async (id: string, after: number) => {
        asked.push([id, after]);
        return [live()];
      },
    } as unknown as Store;
    const follower = new LiveFollower(store, 's');
    expect(await follower.look()).toEqual([live()]);
    follower.take([live({ number: 4 }), live({ number: 7 })], inStep);
    follower.take([], inStep);
    await follower.look();
    expect(asked).toEqual([
      ['s', 0],
      ['s', 7],
    ]);
    expect(await new LiveFollower({} as Store, 's').look()).toEqual([]);
  });
});
