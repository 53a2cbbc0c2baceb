import { expect, it } from 'vitest';

import type { Wait } from '../base/wait.ts';
import { Stretches } from './stretches.ts';

const scope = { over: false };

/** The waits that are found, beside those of these layers. */
function found(stretches: Stretches, ...layers: readonly Wait[]): readonly string[] {
  const waits = stretches.find({ findWaits: (note) => layers.forEach((wait) => note(wait)) });
  return waits.map(({ plugin, what }) => `${plugin} ${what}`);
}

it('a stretch lasts until its function has returned, or its promise has settled', async () => {
  const stretches = new Stretches();
  const { promise, resolve } = Promise.withResolvers<number>();
  expect(stretches.around({ plugin: 'a', what: 'one' }, () => found(stretches))).toEqual(['a one']);
  expect(found(stretches)).toEqual([]);
  const around = stretches.around({ plugin: 'a', what: 'two' }, () => promise);
  const during = stretches.during({ plugin: 'b', what: 'three' }, () => promise);
  expect(found(stretches)).toEqual(['a two', 'b three']);
  resolve(7);
  expect([await around, await during]).toEqual([7, 7]);
  expect(found(stretches)).toEqual([]);
});

it('a stretch is over when its function fails', async () => {
  const stretches = new Stretches();
  const fail = (): never => {
    throw new Error('no');
  };
  expect(() => stretches.around({ plugin: 'a', what: 'one' }, fail)).toThrow('no');
  await expect(stretches.during({ plugin: 'a', what: 'two' }, async () => fail())).rejects.toThrow('no');
  expect(found(stretches)).toEqual([]);
});

it('the innermost of a scope or of a plugin is waited for, in order of entry', () => {
  const stretches = new Stretches();
  const other = { over: false };
  const inner = { plugin: 'a', scope, what: 'inner' };
  stretches.enter({ plugin: 'a', scope, what: 'outer' });
  stretches.enter(inner);
  stretches.enter({ plugin: 'a', scope: other, what: 'other layer' });
  expect(found(stretches)).toEqual(['a inner', 'a other layer']);
  stretches.leave(inner);
  expect(found(stretches)).toEqual(['a outer', 'a other layer']);
  // A stretch of the whole run covers those of its plugin alone.
  stretches.enter({ plugin: 'a', what: 'whole' });
  stretches.enter({ plugin: 'b', what: 'elsewhere' });
  expect(found(stretches)).toEqual(['a whole', 'b elsewhere']);
  stretches.clear();
  expect(found(stretches)).toEqual([]);
});

it('a wait for a person or a model is not reported, and hides the layer that waits', () => {
  const stretches = new Stretches();
  const layers = [
    { by: scope, plugin: 'a', what: 'layer' },
    { by: { over: false }, plugin: 'a', what: 'other layer' },
    { by: {}, plugin: 'b', what: 'layer' },
  ];
  expect(found(stretches, ...layers)).toEqual(['a layer', 'a other layer', 'b layer']);
  const asking = { plugin: 'a', scope };
  stretches.enter({ plugin: 'a', scope, what: 'covered' });
  stretches.enter(asking);
  expect(found(stretches, ...layers)).toEqual(['a other layer', 'b layer']);
  stretches.leave(asking);
  stretches.enter({ plugin: 'b' });
  expect(found(stretches, ...layers)).toEqual(['a other layer', 'a covered']);
});

it('what a settled layer began is not waited for', () => {
  const stretches = new Stretches();
  const layer = { over: false };
  stretches.enter({ plugin: 'a', scope: layer, what: 'late' });
  expect(found(stretches)).toEqual(['a late']);
  layer.over = true;
  expect(found(stretches)).toEqual([]);
});
