import { expect, it } from 'vitest';

import { runRecord } from '../../../testing/src/store/store-samples.ts';
import type { AgentEvent } from '../contract/events.ts';
import { Suspects } from './suspects.ts';

const run = (deaths: number) => ({
  ...runRecord('r', 'running'),
  step: 3,
  attempts: { count: 0, deaths, notBefore: 0 },
});
const step = (number: number): AgentEvent => ({ type: 'step-start', step: number });

/** Suspects, and how often another one may be tried. */
function watched() {
  let cleared = 0;
  return { suspects: new Suspects(() => (cleared += 1)), cleared: () => cleared };
}

it('runs at whose step at most one process has died are resumed at any time', () => {
  const { suspects } = watched();
  expect([suspects.admits('a', runRecord('r', 'running')), suspects.admits('b', run(1))]).toEqual([
    true,
    true,
  ]);
});

it('a suspect is tried alone, again too, until it has ended', () => {
  const { suspects, cleared } = watched();
  expect(['a', 'b', 'a'].map((id) => suspects.admits(id, run(2)))).toEqual([true, false, true]);
  expect(suspects.admits('c', run(1))).toBe(true);
  suspects.left('b');
  expect([cleared(), suspects.admits('b', run(2))]).toEqual([0, false]);
  suspects.left('a');
  expect([cleared(), suspects.admits('b', run(2))]).toEqual([1, true]);
  suspects.left('a');
  expect(cleared()).toBe(1);
});

it('a suspect is cleared when the step after the next begins', () => {
  const { suspects, cleared } = watched();
  suspects.admits('a', run(2));
  const listener = suspects.watching('a', undefined);
  for (const event of [step(3), step(4), { type: 'text-delta', step: 5 } as never]) listener?.(event);
  expect(cleared()).toBe(0);
  listener?.(step(5));
  listener?.(step(6));
  expect(cleared()).toBe(1);
});

it('the events of each run reach its listener', () => {
  const { suspects } = watched();
  const events: AgentEvent[] = [];
  const listener = (event: AgentEvent): void => void events.push(event);
  expect(suspects.watching('a', listener)).toBe(listener);
  expect(suspects.watching('a', undefined)).toBeUndefined();
  suspects.admits('a', run(2));
  suspects.watching('a', listener)?.(step(3));
  expect(suspects.watching('b', listener)).toBe(listener);
  expect(events).toEqual([step(3)]);
});
