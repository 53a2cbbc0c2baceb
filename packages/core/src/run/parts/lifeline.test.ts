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

/** A life that notes what happens to its session and its signs. */
function noting() {
  const noted: string[] = [];
  const note =
    (what: string) =>
    (reason?: unknown): void =>
      void noted.push(reason instanceof ShallotError ? `${what}: ${reason.message}` : what);
  const session = { letGo: note('let go'), hurry: note('hurry') };
  const signs = { report: note('report'), forgetWaits: note('forget waits'), end: note('end') };
  return { life: new Lifeline(new HookTimes(1000), session, signs), noted };
}

describe('an abort', () => {
  it.each([
    ['with an error', new Error('enough.'), 'The run was aborted: enough.'],
    ['with a text', 'enough', 'The run was aborted: enough.'],
    ['without a reason', undefined, 'The run was aborted.'],
  ])('%s says why, with one full stop', (_, reason, message) => {
    const { life, noted } = noting();
    life.abort(reason);
    expect(life.aborted).toMatchObject({ code: 'RUN_ABORTED', message });
    expect(life.aborted?.cause).toBe(reason);
    expect(noted).toEqual(['forget waits', `let go: ${message}`]);
    expect(life.signal.aborted).toBe(true);
    expect(() => life.throwIfStopped()).toThrow(message);
  });

  it('counts once', () => {
    const { life, noted } = noting();
    life.abort('one');
    life.abort('other');
    expect(life.stopped?.message).toBe('The run was aborted: one.');
    expect(noted).toHaveLength(2);
  });

  it('after the outcome is known gives the store a little time', () => {
    const { life, noted } = noting();
    life.decide();
    life.abort('late');
    expect(noted).toEqual(['forget waits', 'hurry: The run was aborted: late.']);
    expect(life.aborted).toBeDefined();
  });

  it('while the end is committed changes nothing else', () => {
    const { life, noted } = noting();
    life.end();
    life.abort('late');
    expect(noted).toEqual(['end', 'hurry: The run was aborted: late.']);
    expect(life.stopped).toBeUndefined();
  });

  it.each(['UNCAUGHT', 'INTERNAL'] as const)('by %s is a failure', (code) => {
    const { life } = noting();
    const error = new ShallotError(code, { message: 'no' });
    life.abort(error);
    expect(life.stopped).toBe(error);
    expect(life.aborted).toBeUndefined();
  });

  it('by another error with a code is an abort', () => {
    const { life } = noting();
    life.abort(new ShallotError('STORE_CONFLICT', { message: 'lost' }));
    expect(life.aborted?.message).toBe('The run was aborted: lost.');
  });
});

describe('an uncaught error', () => {
  const error = new ShallotError('UNCAUGHT', { message: 'no' });

  it('fails the run', () => {
    const { life, noted } = noting();
    life.fail(error);
    expect(life.stopped).toBe(error);
    expect(noted).toEqual(['forget waits', 'let go: no']);
  });

  it.each<[string, (life: Lifeline) => void]>([
    ['of a run that was stopped', (life) => life.abort('enough')],
    ['after the outcome is known', (life) => life.decide()],
  ])('%s is reported', (_, before) => {
    const { life, noted } = noting();
    before(life);
    const { stopped } = life;
    life.fail(error);
    expect(noted.at(-1)).toBe('report: no');
    expect(life.stopped).toBe(stopped);
  });
});

it('what a plugin calls after the end is refused by name', () => {
  const { life } = noting();
  expect(() => life.throwIfOver('audit', 'once')).not.toThrow();
  life.end();
  expect(() => life.throwIfOver('audit', 'once')).toThrow(
    expect.objectContaining({
      code: 'RUN_ENDED',
      plugin: 'audit',
      message:
        'audit called once on a run that has ended. Await everything that a hook starts before it returns.',
    }),
  );
});

it('a run rings when something was sent to it', () => {
  const { life } = noting();
  expect(life.bell.isRung).toBe(false);
  life.ring();
  expect(life.bell.isRung).toBe(true);
});
