import { describe, expect, it } from 'vitest';

import { ShallotError } from '../../base/errors.ts';
import { HookTimes } from './hook-clock.ts';
import { Lifeline } from './lifeline.ts';

/** The life of a run whose session and signs do nothing. */
function newLife(): Lifeline {
  const session = { letGo: () => {}, hurry: () => {} };
  return new Lifeline(new HookTimes(1000), session, {
    report: () => {},
    forgetWaits: () => {},
    end: () => {},
  });
}

const aborted = new ShallotError('RUN_ABORTED', { message: 'Enough.' });

describe('what is under way in a run', () => {
  it('is rejected when the run is stopped, and nothing begins after that', async () => {
    const lifeline = newLife();
    const waiting = lifeline.orAbort(new Promise(() => {}));
    lifeline.fail(aborted);
    await expect(waiting).rejects.toBe(aborted);
    expect(() => lifeline.enter()).toThrow(aborted);
    expect(lifeline.aborted).toBe(aborted);
  });

  it('is rejected when the run ends', async () => {
    const lifeline = newLife();
    const waiting = lifeline.orAbort(new Promise(() => {}));
    lifeline.end();
    await expect(waiting).rejects.toMatchObject({ code: 'RUN_ENDED' });
    expect(lifeline.isOver).toBe(true);
    expect(lifeline.stopped).toBeUndefined();
  });

  it('is forgotten once it has settled: a step leaves nothing behind', async () => {
    const lifeline = newLife();
    lifeline.leave(lifeline.enter());
    await lifeline.orAbort(Promise.resolve());
    await expect(lifeline.orAbort(Promise.reject(aborted))).rejects.toBe(aborted);
    lifeline.closeFrames(() => expect.fail('nothing is under way'));
  });
});

describe('a run that is to stop after its step', () => {
  it.each([
    ['stopAfterStep', false],
    ['handBack', true],
  ] as const)('says so after %s, and lives on', (ask, isHandedBack) => {
    const lifeline = newLife();
    expect([lifeline.isStopping, lifeline.isHandedBack]).toEqual([false, false]);
    lifeline[ask]();
    expect([lifeline.isStopping, lifeline.isHandedBack]).toEqual([true, isHandedBack]);
    expect(() => lifeline.throwIfStopped()).not.toThrow();
  });
});

it('an outcome is decided once that is said', () => {
  const lifeline = newLife();
  expect(lifeline.isDecided).toBe(false);
  lifeline.decide();
  expect(lifeline.isDecided).toBe(true);
});
