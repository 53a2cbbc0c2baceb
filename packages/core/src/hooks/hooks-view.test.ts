import { describe, expect, it } from 'vitest';

import { hookNames, type HookName } from '../base/hook-names.ts';
import type { Hooks } from '../contract/hooks.ts';
import { badNext, badResult } from './bad-result.ts';
import { hooksFor } from './hooks-view.ts';
import { LiveTap, type TapRegistration } from './live-tap.ts';
import { checkNextOptions } from './next-options.ts';
import type { Owner } from './owner.ts';
import type { InterceptorRegistration } from './watcher.ts';

function view() {
  const taps: TapRegistration[] = [];
  const interceptors: InterceptorRegistration[] = [];
  const hooks = hooksFor({
    plugin: 'mine',
    addTap: (tap) => void taps.push(tap),
    addInterceptor: (interceptor) => void interceptors.push(interceptor),
    isUsed: (hook) => hook === 'afterModel',
  });
  return { hooks, taps, interceptors };
}

/** Calls a method of a hook as a program in JavaScript may. */
function call(
  hooks: Hooks,
  hook: HookName,
  method: 'tap' | 'intercept',
  ...given: readonly unknown[]
): unknown {
  return Reflect.apply(Reflect.get(hooks[hook], method) as () => unknown, undefined, [...given]);
}

const fn = (): void => {};

describe('a tap', () => {
  it.each<readonly [HookName, unknown, object]>([
    ['beforeModel', ' one ', { name: 'one', gate: false, internal: false, tree: false, on: undefined }],
    ['beforeModel', { name: 'one', priority: 0, tree: true }, { priority: 0, tree: true }],
    ['beforeAgent', { name: 'one', input: true }, { on: 'input', tree: false }],
    ['wrapModelCall', { name: 'one', internal: true }, { internal: true, gate: false }],
    ['wrapToolCall', { name: 'one', gate: true }, { gate: true, tree: true }],
    ['wrapToolCall', { name: 'one', gate: true, tree: false }, { gate: true, tree: false }],
    ['wrapToolCall', { name: 'one', result: true }, { on: 'result', gate: false }],
  ])('of %s with %j is registered so', (hook, options, registered) => {
    const { hooks, taps } = view();
    call(hooks, hook, 'tap', options, fn);
    expect(taps).toMatchObject([{ hook, fn, wantsPromise: false, ...registered }]);
  });

  it('that promises a promise is registered so', () => {
    const { hooks, taps } = view();
    hooks.afterModel.tapPromise('one', async () => {});
    expect(taps).toMatchObject([{ hook: 'afterModel', wantsPromise: true }]);
  });

  it.each<readonly [HookName, unknown, unknown, string]>([
    ['beforeModel', 'one', undefined, 'beforeModel was tapped with undefined instead of a function.'],
    ['beforeModel', 'one', 'two', 'instead of a function.'],
    ['beforeModel', ' ', fn, "was tapped without a name; pass a name, or { name: '…' }."],
    ['beforeModel', null, fn, 'was tapped without a name'],
    ['beforeModel', 7, fn, 'was tapped without a name'],
    ['beforeModel', { name: 7 }, fn, 'was tapped without a name'],
    [
      'beforeModel',
      { name: 'one', gate: true },
      fn,
      'the unknown option "gate"; it takes name, priority, tree. Set',
    ],
    [
      'wrapModelCall',
      { name: 'one', stage: 1, before: 'b' },
      fn,
      'the unknown option "stage", "before"; it takes',
    ],
    ['wrapToolCall', { name: 'one', gate: true, result: true }, fn, 'gate and result; tap it once with each'],
    ['beforeModel', { name: 'one', priority: 101 }, fn, '101'],
  ])('of %s with %j and %s is refused', (hook, options, given, words) => {
    const { hooks, taps } = view();
    expect(() => call(hooks, hook, 'tap', options, given)).toThrow(
      expect.objectContaining({ plugin: 'mine', message: expect.stringContaining(words) as string }),
    );
    expect(taps).toEqual([]);
  });
});

describe('an interceptor', () => {
  it('is registered as it was when it was given', () => {
    const { hooks, interceptors } = view();
    const interceptor = { call: fn };
    call(hooks, 'beforeModel', 'intercept', interceptor);
    expect(interceptors).toEqual([{ hook: 'beforeModel', interceptor }]);
    expect(interceptors[0]?.interceptor).not.toBe(interceptor);
  });

  it.each([[undefined], [null], [fn], ['call']])('that is %s is refused', (given) => {
    const { hooks, interceptors } = view();
    expect(() => call(hooks, 'beforeModel', 'intercept', given)).toThrow(
      'instead of an object of callbacks.',
    );
    expect(interceptors).toEqual([]);
  });
});

it('there is a hook of each name, which says whether it is used', () => {
  const { hooks } = view();
  expect(Object.keys(hooks)).toEqual(hookNames);
  expect(hookNames.filter((name) => hooks[name].isUsed())).toEqual(['afterModel']);
});

function tapNamed(name: string): LiveTap {
  // The errors use no other member of an owner.
  const owner = { id: 'mine' } as unknown as Owner;
  const options = {
    priority: undefined,
    gate: false,
    internal: false,
    tree: false,
    wantsPromise: false,
  } as const;
  return new LiveTap(owner, { name, hook: 'beforeModel', fn, ...options }, 25, 0, 1);
}

it.each([
  ['own', 'beforeModel of mine ("own") returned 7; it must return a request.'],
  ['mine', 'beforeModel of mine returned 7; it must return a request.'],
  ['beforeModel', 'beforeModel of mine returned 7; it must return a request.'],
])('a wrong result is that of the tap "%s"', (name, message) => {
  expect(badResult(tapNamed(name), '7', 'a request')).toMatchObject({
    code: 'HOOK_RESULT',
    plugin: 'mine',
    hook: 'beforeModel',
    message,
  });
});

it('a wrong request is that of the tap', () => {
  expect(badNext(tapNamed('mine'), '7', 'a request').message).toBe(
    'beforeModel of mine called next with 7; it must pass a request.',
  );
});

const controller = new AbortController();

it.each([
  [{}, undefined],
  [{ emit: fn, signal: controller.signal, parallel: false }, undefined],
  [{ emit: undefined, signal: undefined, parallel: undefined }, undefined],
  [{ signal: { aborted: false, addEventListener: fn } }, undefined],
  [undefined, 'as options; pass an object of emit, signal, parallel.'],
  [null, 'as options; pass an object of emit, signal, parallel.'],
  ['fast', 'as options; pass an object of emit, signal, parallel.'],
  [{ stream: true }, 'the unknown option "stream"; it takes emit, signal, parallel.'],
  [{ emit: 'x' }, 'as emit; pass a function.'],
  [{ parallel: 1 }, 'as parallel; pass true or false.'],
  [{ signal: controller }, 'as signal; pass an AbortSignal.'],
  [{ signal: null }, 'as signal; pass an AbortSignal.'],
  [{ signal: 'x' }, 'as signal; pass an AbortSignal.'],
  [{ signal: { addEventListener: fn } }, 'as signal; pass an AbortSignal.'],
  [{ signal: { aborted: false } }, 'as signal; pass an AbortSignal.'],
  [{ signal: { aborted: false, addEventListener: 1 } }, 'as signal; pass an AbortSignal.'],
])('next takes %j: %s', (options, fault) => {
  const failed: unknown[] = [];
  try {
    checkNextOptions(tapNamed('own'), options);
  } catch (error) {
    failed.push(error);
  }
  const message = expect.stringContaining(fault ?? '') as string;
  expect(failed).toMatchObject(
    fault === undefined ? [] : [{ code: 'OPTION_INVALID', plugin: 'mine', hook: 'beforeModel', message }],
  );
});
