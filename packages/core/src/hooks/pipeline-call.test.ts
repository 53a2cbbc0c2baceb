import { expect, it } from 'vitest';

import { Frame } from './frame.ts';
import { LiveTap } from './live-tap.ts';
import type { Owner } from './owner.ts';
import { PipelineCall, type PipelineCaller } from './pipeline-call.ts';

type Fn = (value: number) => unknown;

const stop = new Error('stop');

/** A call of `beforeModel` with these taps, and notes of what they ask of the run. */
function callOf(fns: readonly Fn[], { goesOn = false, skipped = -1, wantsPromise = false } = {}) {
  const lines: string[] = [];
  const options = { priority: undefined, gate: false, internal: false, tree: false, wantsPromise } as const;
  const taps = fns.map((fn, index) => {
    // A call uses no other member of an owner.
    const owner = { id: String.fromCodePoint(97 + index) } as unknown as Owner;
    return new LiveTap(owner, { name: 'own', hook: 'beforeModel', fn, ...options }, 25, index, 1);
  });
  const nameOf = ({ owner }: LiveTap): string => owner.id;
  const caller: PipelineCaller<number> = {
    fail: () => {},
    enter: (tap) => (taps.indexOf(tap) === skipped ? undefined : ({} as never)),
    wait: (call, pending) => call.finish(pending, new Frame()),
    accept: (tap, returned, given) => {
      lines.push(`${nameOf(tap)} returns ${String(returned)}`);
      return typeof returned === 'number' ? returned : given;
    },
    failed: (tap, error, given) => {
      lines.push(`${nameOf(tap)} throws ${String(error)}`);
      return goesOn ? { value: given } : undefined;
    },
  };
  return { call: new PipelineCall(taps, undefined, 1, caller, 0), lines };
}

const add: Fn = (value) => value + 1;
const addLater: Fn = async (value) => value + 1;
const fail: Fn = () => {
  throw stop;
};
const failLater: Fn = () => Promise.reject(stop);

it('a value passes through all taps, at once as long as none returns a promise', () => {
  const { call, lines } = callOf([add, () => undefined, add], { skipped: 0 });
  expect(call.start()).toBeUndefined();
  expect(call.value).toBe(2);
  expect(lines).toEqual(['b returns undefined', 'c returns 2']);
});

it('a value passes on when a promise has settled', async () => {
  const { call, lines } = callOf([addLater, add, addLater]);
  const pending = call.start();
  expect([call.tap?.owner.id, lines]).toEqual(['a', []]);
  expect(await call.finish(pending as Promise<unknown>, new Frame())).toBe(4);
  expect(lines).toEqual(['a returns 2', 'b returns 3', 'c returns 4']);
  expect(call.tap).toBeUndefined();
});

it.each([
  ['at once', fail],
  ['later', failLater],
])('a tap that fails %s ends the call, unless the hook goes on after failures', async (_, failing) => {
  const run = async (given: ReturnType<typeof callOf>) => {
    const pending = given.call.start();
    return pending === undefined ? given.call.value : await given.call.finish(pending, new Frame());
  };
  const ending = callOf([add, failing, add]);
  await expect(run(ending)).rejects.toBe(stop);
  expect(ending.lines).toEqual(['a returns 2', 'b throws Error: stop']);
  const going = callOf([add, failing, add], { goesOn: true });
  expect(await run(going)).toBe(3);
  expect(going.lines).toEqual(['a returns 2', 'b throws Error: stop', 'c returns 3']);
});

it.each([
  ['returns', addLater],
  ['fails', failLater],
])('a tap that %s after its frame was closed is not listened to', async (_, late) => {
  const { call, lines } = callOf([late, add]);
  const frame = new Frame();
  const finishing = call.finish(call.start() as Promise<unknown>, frame);
  frame.close(stop);
  expect(await finishing).toBe(1);
  expect(lines).toEqual([]);
});

it('a tap that is given up is passed over, or ends the call', () => {
  const never: Fn = () => new Promise(() => {});
  const going = callOf([never, add], { goesOn: true });
  void going.call.start();
  expect(going.call.giveUp(stop)).toBeUndefined();
  expect([going.call.value, going.lines]).toEqual([2, ['a throws Error: stop', 'b returns 2']]);
  const ending = callOf([never, add]);
  void ending.call.start();
  expect(() => ending.call.giveUp(stop)).toThrow(stop);
  expect(ending.lines).toEqual(['a throws Error: stop']);
});

it('a tap that promised a promise has to return one', () => {
  expect(() => callOf([add], { wantsPromise: true }).call.start()).toThrow(
    'it must return a promise, because it was registered with tapPromise',
  );
  expect(callOf([addLater], { wantsPromise: true }).call.start()).toBeInstanceOf(Promise);
});

it('a promise that is the value itself is not waited for', () => {
  const value = Promise.resolve(7);
  const { call } = callOf([(given) => given]);
  const same = new PipelineCall<unknown>(
    [call.tap as LiveTap],
    undefined,
    value,
    {
      fail: () => {},
      enter: () => ({}) as never,
      wait: () => value,
      accept: (_, returned) => returned,
      failed: () => undefined,
    },
    0,
  );
  expect(same.start()).toBeUndefined();
  expect(same.value).toBe(value);
});
