import { expect, it } from 'vitest';

import { RunState } from './run-state.ts';

const entry = (value: number) => ({ version: 1, value });

it('the state of a run is kept by plugin and key', () => {
  const state = new RunState();
  expect(state.get('audit', 'a')).toBeUndefined();
  expect(state.toRecord()).toEqual({});
  state.set('audit', 'a', entry(1));
  state.set('audit', 'b', entry(2));
  state.set('limits', 'a', entry(3));
  state.set('audit', 'a', entry(4));
  expect(state.get('audit', 'a')).toEqual(entry(4));
  expect(state.toRecord()).toEqual({ audit: { a: entry(4), b: entry(2) }, limits: { a: entry(3) } });
});

it('the state of a resumed run is that of its record, and the record stays', () => {
  const record = { audit: { a: entry(1) } };
  const state = new RunState(record);
  state.set('audit', 'b', entry(2));
  expect(state.toRecord()).toEqual({ audit: { a: entry(1), b: entry(2) } });
  expect(record).toEqual({ audit: { a: entry(1) } });
});
