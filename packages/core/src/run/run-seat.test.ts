import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Wait } from '../base/wait.ts';
import type { Logger } from '../log/logger.ts';
import { storeGraceMs } from '../sessions/live/commit-queue.ts';
import type { Listener } from './event-stream.ts';
import type { RunParts } from './run-parts.ts';
import { RunSeat } from './run-seat.ts';

const never = new Promise<never>(() => {});

/** A run that notes what is asked of it. */
function noting(storeWait?: Wait): { readonly run: RunParts; readonly asked: unknown[] } {
  const asked: unknown[] = [];
  const note =
    (what: string) =>
    (...args: readonly unknown[]): void =>
      void asked.push([what, ...args].join(' '));
  const life = { abort: note('abort'), stopAfterStep: note('stop'), handBack: note('hand back') };
  const record = { handBack: note('record'), session: { storeWait } };
  const signs = { notice: note('notice'), stretches: { find: () => [{ by: life, what: 'a layer' }] } };
  return { run: { life, record, signs } as unknown as RunParts, asked };
}

function newSeat(listener?: Listener): { readonly seat: RunSeat; readonly logged: unknown[] } {
  const logged: unknown[] = [];
  const log = { warn: (...line: readonly unknown[]) => void logged.push(line) } as Partial<Logger>;
  return { seat: new RunSeat('s', log as Logger, listener), logged };
}

describe('a run that is asked to end', () => {
  it.each<[string, (seat: RunSeat) => void, unknown[]]>([
    ['is aborted', (seat) => seat.abort('enough'), ['abort enough']],
    ['stops after its step', (seat) => seat.stopAfterStep(), ['stop']],
    ['is handed back after its step', (seat) => seat.handBack(false), ['hand back', 'record']],
    [
      'is handed back at once',
      (seat) => seat.handBack(true),
      ['hand back', 'record', 'abort Error: its worker is stopping'],
    ],
  ])('%s', (_, ask, expected) => {
    const { run, asked } = noting();
    const { seat } = newSeat();
    seat.take(run);
    expect(asked).toEqual([]);
    ask(seat);
    expect(asked).toEqual(expected);
  });

  it('before it has its session hears of it then', () => {
    const { run, asked } = noting();
    const { seat } = newSeat();
    seat.handBack(true);
    seat.stopAfterStep();
    seat.abort('enough');
    seat.abort('and again');
    seat.take(run);
    expect(asked).toEqual(['abort enough', 'stop']);
    expect(seat.isAborted).toBe(true);
  });

  it('has an aborted signal, also if nobody asked for it before', () => {
    const [early, late] = [newSeat().seat, newSeat().seat];
    const { signal } = early;
    expect(signal.aborted).toBe(false);
    for (const seat of [early, late]) {
      expect(seat.isAborted).toBe(false);
      seat.abort('enough');
      expect(seat.signal).toMatchObject({ aborted: true, reason: 'enough' });
    }
    expect(early.signal).toBe(signal);
  });
});

describe('a run that is aborted while its session is loaded', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each([
    ['before', 'enough', 'The run was aborted: enough. The store has not answered for session "s".'],
    ['after', 'enough', 'The run was aborted: enough. The store has not answered for session "s".'],
    ['after', undefined, 'The run was aborted. The store has not answered for session "s".'],
  ])('%s the wait began gives the store a little time', async (when, reason, message) => {
    const { seat } = newSeat();
    if (when === 'before') seat.abort(reason);
    const waited = seat.wait(never).catch((error: unknown) => error);
    if (when === 'after') seat.abort(reason);
    await vi.advanceTimersByTimeAsync(storeGraceMs - 1);
    expect(seat.isLeft).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(seat.isLeft).toBe(true);
    expect(await waited).toMatchObject({ code: 'RUN_ABORTED', message });
  });

  it('is not left if the store answers in time', async () => {
    const { seat } = newSeat();
    const loaded = Promise.withResolvers<string>();
    const waited = seat.wait(loaded.promise);
    seat.abort('enough');
    loaded.resolve('the session');
    expect(await waited).toBe('the session');
    await vi.advanceTimersByTimeAsync(2 * storeGraceMs);
    expect(seat.isLeft).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the seat of a run', () => {
  it('says when the run has its session, and when it is free', async () => {
    const { seat } = newSeat();
    const { begun, over } = seat;
    expect(begun).toBe(seat.begun);
    const { run } = noting();
    seat.take(run);
    await begun;
    expect(seat.begun).toBeUndefined();
    expect(seat.run).toBe(run);
    seat.leave();
    await over;
    expect(seat.run).toBeUndefined();
  });

  it('that is left before the run has its session has no beginning', async () => {
    const { seat } = newSeat();
    const { begun } = seat;
    seat.leave();
    await expect(begun).resolves.toBeUndefined();
  });
});

describe('the waits of a run', () => {
  const consumer: Wait = { by: {}, what: 'the consumer' };
  const listener = Object.assign(() => {}, { findWait: () => consumer });

  it('are for its session first', () => {
    const { seat } = newSeat();
    expect(seat.findWaits()).toEqual([{ by: seat, what: 'the store to give session "s"' }]);
  });

  it('are for its layers, and for the store alone while it is at work', () => {
    const storeWait: Wait = { by: {}, what: 'the store' };
    const [plain, waiting] = [newSeat().seat, newSeat().seat];
    plain.take(noting().run);
    waiting.take(noting(storeWait).run);
    expect(plain.findWaits()).toMatchObject([{ what: 'a layer' }]);
    expect(waiting.findWaits()).toEqual([storeWait]);
  });

  it('include its consumer, until it is over', () => {
    const { seat } = newSeat(listener);
    expect(seat.findWaits()).toHaveLength(2);
    expect(seat.findWaits()[1]).toBe(consumer);
    seat.leave();
    expect(seat.findWaits()).toHaveLength(1);
  });

  it('are reported by the run, and without one in the log and to its listener', () => {
    const events: unknown[] = [];
    const { seat, logged } = newSeat((event) => void events.push(event));
    seat.notice('Still waiting.', 'audit');
    const warning = { code: 'STILL_WAITING' };
    expect(logged).toEqual([[{ sessionId: 's', ...warning }, 'Still waiting.']]);
    expect(events).toEqual([{ type: 'warning', message: 'Still waiting.', ...warning }]);
    const { run, asked } = noting();
    seat.take(run);
    seat.notice('Still waiting.', 'audit');
    expect(asked).toEqual(['notice Still waiting. audit']);
    expect(events).toHaveLength(1);
  });
});
