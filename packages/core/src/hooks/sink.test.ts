import { expect, it } from 'vitest';

import type { Chunk } from '../contract/model.ts';
import { Pressure, sinkFor } from './sink.ts';

const text: Chunk = { type: 'text-delta', index: 0, text: 'x' };

it('pressure is on while a chunk is being processed, and counts those that were', async () => {
  const pressure = new Pressure();
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  expect(pressure.note(undefined)).toBeUndefined();
  expect([pressure.isOn, pressure.taken]).toEqual([false, 0]);
  expect(pressure.note(first.promise)).toBe(first.promise);
  void pressure.note(second.promise);
  expect([pressure.isOn, pressure.taken]).toEqual([true, 0]);
  first.resolve();
  await first.promise;
  expect([pressure.isOn, pressure.taken]).toEqual([true, 1]);
  second.resolve();
  await second.promise;
  expect([pressure.isOn, pressure.taken]).toEqual([false, 2]);
});

it('a chunk that fails is processed as well, and its error is reported', async () => {
  const pressure = new Pressure();
  const failures: unknown[] = [];
  const error = new Error('no');
  await Promise.allSettled([
    pressure.note(Promise.reject(error), (thrown) => failures.push(thrown)),
    pressure.note(Promise.reject(error)),
  ]);
  expect([pressure.isOn, pressure.taken, failures]).toEqual([false, 2, [error]]);
});

it('a sink is dirty from a chunk on until a restart', () => {
  const got: Chunk[] = [];
  const sink = sinkFor<Chunk>(
    (chunk) => void got.push(chunk),
    () => {},
  );
  expect(sink.dirty).toBe(false);
  void sink.push(text);
  expect(sink.dirty).toBe(true);
  void sink.push({ type: 'restart' });
  expect(sink.dirty).toBe(false);
  expect(got).toHaveLength(2);
  const untyped = sinkFor<unknown>(
    () => {},
    () => {},
  );
  for (const chunk of [null, undefined, 'progress']) void untyped.push(chunk);
  expect(untyped.dirty).toBe(true);
});

it('a listener that fails is reported, at once or later', async () => {
  const failures: unknown[] = [];
  const error = new Error('no');
  const throwing = sinkFor<Chunk>(
    () => {
      throw error;
    },
    (thrown) => failures.push(thrown),
  );
  expect(() => throwing.push(text)).toThrow(error);
  const rejecting = sinkFor<Chunk>(
    () => Promise.reject(error),
    (thrown) => failures.push(thrown),
  );
  await expect(rejecting.push(text)).rejects.toBe(error);
  expect(failures).toEqual([error, error]);
});
