import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { HookTimes, type HookClock } from './hook-clock.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** The clock of a run that waits for a tap, with a limit of 400 ms, and whether it has run out. */
function running(): { readonly clock: HookClock; readonly isOut: () => boolean } {
  const clock = new HookTimes(400).clock();
  let isOut = false;
  clock.enter();
  clock.begin(() => (isOut = true));
  return { clock, isOut: () => isOut };
}

describe('the clock of a tap', () => {
  it('runs out after the limit, and not before', () => {
    const { isOut } = running();
    vi.advanceTimersByTime(399);
    expect(isOut()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(isOut()).toBe(true);
  });

  it('begins again with the next tap', () => {
    const { clock, isOut } = running();
    vi.advanceTimersByTime(300);
    clock.enter();
    vi.advanceTimersByTime(400);
    expect(isOut()).toBe(false);
    vi.advanceTimersByTime(100);
    expect(isOut()).toBe(true);
  });

  it('gives a tap that comes to a running timer its whole time', () => {
    const times = new HookTimes(400);
    times.clock().begin(() => {});
    vi.advanceTimersByTime(99);
    let isOut = false;
    times.clock().begin(() => (isOut = true));
    vi.advanceTimersByTime(400);
    expect(isOut).toBe(false);
    vi.advanceTimersByTime(100);
    expect(isOut).toBe(true);
  });

  it('stands still at its end', () => {
    const { clock, isOut } = running();
    clock.end();
    vi.advanceTimersByTime(1000);
    expect(isOut()).toBe(false);
  });

  it('stands still with the agent', () => {
    const times = new HookTimes(400);
    let isOut = false;
    times.clock().begin(() => (isOut = true));
    times.stop();
    vi.advanceTimersByTime(1000);
    expect(isOut).toBe(false);
  });
});

describe('while a tap waits for the core', () => {
  it('its clock stands still, until the last of several waits is over, and begins again then', async () => {
    const { clock, isOut } = running();
    const [one, two] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    vi.advanceTimersByTime(300);
    const waits = [clock.pauseFor(one.promise), clock.pauseFor(two.promise)];
    vi.advanceTimersByTime(1000);
    one.resolve();
    await waits[0];
    vi.advanceTimersByTime(1000);
    expect(isOut()).toBe(false);
    two.resolve();
    await waits[1];
    vi.advanceTimersByTime(400);
    expect(isOut()).toBe(false);
    vi.advanceTimersByTime(100);
    expect(isOut()).toBe(true);
  });

  it('the clock of the next tap runs', () => {
    const { clock, isOut } = running();
    void clock.pauseFor(new Promise(() => {}));
    clock.enter();
    vi.advanceTimersByTime(500);
    expect(isOut()).toBe(true);
  });

  it('the end of a wait of an earlier tap changes nothing', async () => {
    const { clock, isOut } = running();
    const wait = Promise.withResolvers<void>();
    const waited = clock.pauseFor(wait.promise);
    clock.enter();
    void clock.pauseFor(Promise.resolve());
    vi.advanceTimersByTime(0);
    await Promise.resolve();
    wait.resolve();
    await waited;
    vi.advanceTimersByTime(500);
    expect(isOut()).toBe(true);
  });

  it.each(['before', 'during'])('its clock runs if the run was stopped %s the wait', (when) => {
    const { clock, isOut } = running();
    if (when === 'before') clock.runOn();
    void clock.pauseFor(new Promise(() => {}));
    if (when === 'during') clock.runOn();
    vi.advanceTimersByTime(400);
    expect(isOut()).toBe(true);
  });
});
