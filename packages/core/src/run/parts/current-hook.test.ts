import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { CurrentHook } from './current-hook.ts';
import { HookTimes } from './hook-clock.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

const never = new Promise<never>(() => {});

/** A hook with a limit of 400 ms, and whether its time has run out after so many milliseconds. */
function entered(runsOn = false) {
  const hook = new CurrentHook(new HookTimes(400), runsOn);
  hook.enter('beforeModel', () => ({ at: 'step' }));
  let isOut = false;
  hook.clock.begin(() => (isOut = true));
  const isOutAfter = (ms: number): boolean => {
    vi.advanceTimersByTime(ms);
    return isOut;
  };
  return { hook, isOutAfter };
}

describe('the hook that a run is in', () => {
  it('has a name and a position until it is left', () => {
    const hook = new CurrentHook(new HookTimes(400), false);
    expect([hook.name, hook.position]).toEqual([undefined, undefined]);
    hook.enter('beforeModel', () => ({ at: 'step' }));
    expect([hook.name, hook.position]).toEqual(['beforeModel', { at: 'step' }]);
    hook.leave();
    expect([hook.name, hook.position]).toEqual([undefined, undefined]);
  });

  it('has one clock, which begins again with each tap', () => {
    const { hook, isOutAfter } = entered();
    expect(hook.clock).toBe(hook.clock);
    expect(isOutAfter(300)).toBe(false);
    hook.enterTap();
    expect(isOutAfter(300)).toBe(false);
    expect(isOutAfter(200)).toBe(true);
  });

  it('has time to wait for the core', () => {
    const { hook, isOutAfter } = entered();
    void hook.pauseFor(never);
    expect(isOutAfter(1000)).toBe(false);
  });

  it('has none once the run was stopped, before or during the wait', () => {
    const [before, during] = [entered(true), entered()];
    void before.hook.pauseFor(never);
    expect(before.isOutAfter(500)).toBe(true);
    void during.hook.pauseFor(never);
    during.hook.runOn();
    expect(during.isOutAfter(500)).toBe(true);
  });

  it('that is stopped before it has a clock has one that runs', () => {
    const hook = new CurrentHook(new HookTimes(400), false);
    hook.runOn();
    hook.enter('beforeModel', undefined);
    let isOut = false;
    hook.clock.begin(() => (isOut = true));
    void hook.pauseFor(never);
    vi.advanceTimersByTime(500);
    expect(isOut).toBe(true);
  });

  it('stops no clock outside of hooks', async () => {
    const { hook, isOutAfter } = entered();
    hook.leave();
    const work = Promise.resolve('done');
    expect(hook.pauseFor(work)).toBe(work);
    void hook.pauseFor(never);
    expect(isOutAfter(500)).toBe(true);
  });
});
