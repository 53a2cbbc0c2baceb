import { describe, expect, it } from 'vitest';

import { newClaim } from '../../base/claim.ts';
import type { RunRecord } from '../../contract/store.ts';
import { dueAt, isToBeStopped, keepsStop, leavesMessages, statusOf, takesMessages } from './due-at.ts';
import { isResumable } from './resumable.ts';
import { nextAbout, runColumns } from './run-columns.ts';

const run = (rest: object): RunRecord =>
  ({ status: 'running', position: { at: 'step' }, interrupts: [], answers: {}, ...rest }) as never;
const asked = (id: string, callId?: string): object => ({
  id,
  ...(callId === undefined ? {} : { call: { id: callId } }),
});
const failed = { status: 'failed', submitted: {}, failure: { code: 'MODEL_OVERLOADED', transient: true } };

describe('a worker may resume', () => {
  it.each<readonly [object, number | undefined]>([
    [{}, 0],
    [{ attempts: { count: 1, notBefore: 7 } }, 7],
    [{ parked: true }, undefined],
    [{ parent: {} }, undefined],
    [{ status: 'completed', submitted: {} }, undefined],
    [{ status: 'aborted', submitted: {} }, undefined],
    [failed, 0],
    [{ ...failed, submitted: undefined }, undefined],
    [{ ...failed, failure: { transient: false } }, undefined],
    [{ ...failed, failure: undefined }, undefined],
    [{ ...failed, position: { at: 'end' }, stopReason: 'error' }, undefined],
    [{ ...failed, status: 'aborted' }, undefined],
    [{ status: 'interrupted' }, 0],
    [{ status: 'interrupted', interrupts: [asked('q', 'c')] }, undefined],
    [{ status: 'interrupted', interrupts: [asked('q', 'c')], answers: { q: 1 } }, 0],
    [{ status: 'interrupted', interrupts: [asked('q', 'c'), asked('r', 'c')], answers: { q: 1 } }, undefined],
    [{ status: 'interrupted', interrupts: [asked('q', 'c'), asked('r', 'd')], answers: { q: 1 } }, 0],
    [{ status: 'interrupted', interrupts: [asked('q', 'c'), asked('r')], answers: { q: 1 } }, 0],
    [{ status: 'interrupted', interrupts: [asked('q', 'c')], answers: { q: 1 }, parked: true }, undefined],
  ])('%j from %s on', (rest, due) => {
    expect(dueAt(run(rest))).toBe(due);
  });

  it('no run that is missing', () => {
    expect(dueAt(undefined)).toBeUndefined();
  });
});

it.each<readonly [object, boolean]>([
  [{ status: 'completed' }, false],
  [{ status: 'completed', position: { at: 'end' } }, false],
  [{ status: 'interrupted', position: { at: 'end' } }, true],
  [{ status: 'running', position: { at: 'end' }, stopReason: 'abort' }, true],
  [{ status: 'failed' }, true],
  [{ status: 'aborted' }, true],
  [{ status: 'failed', position: { at: 'end' } }, true],
  [{ status: 'failed', position: { at: 'end' }, stopReason: 'error' }, false],
  [{ status: 'aborted', position: { at: 'end' }, stopReason: 'abort' }, false],
])('a run %j can be continued: %s', (rest, can) => {
  expect(isResumable(run(rest))).toBe(can);
});

it.each([
  ['running', null, true],
  ['running', undefined, true],
  ['interrupted', 0, true],
  ['interrupted', null, false],
  ['interrupted', undefined, false],
  ['failed', 5, true],
  ['completed', 0, false],
  ['parked', null, false],
  [undefined, undefined, false],
])('a run that is %s and due at %s can be stopped: %s', (status, due, can) => {
  expect(isToBeStopped(status, due)).toBe(can);
});

it('messages can be sent to a run that is under way or waits for answers', () => {
  const statuses = ['running', 'interrupted', 'completed', 'aborted', 'failed', 'parked', null, undefined];
  expect(statuses.filter(takesMessages)).toEqual(['running', 'interrupted']);
});

it('messages are left by a submitted run that has completed', () => {
  expect(leavesMessages(run({ status: 'completed', submitted: {} }))).toBe(true);
  expect(leavesMessages(run({ status: 'completed' }))).toBe(false);
  expect(leavesMessages(run({ submitted: {} }))).toBe(false);
});

it('a request to stop outlasts a commit of the run that it is for', () => {
  const claim = newClaim('me', 1000);
  expect(keepsStop({}, claim)).toBe(true);
  expect(keepsStop({}, undefined)).toBe(true);
  expect(keepsStop({ claim: newClaim('me', 1000) }, claim)).toBe(true);
  expect(keepsStop({ claim: newClaim('other', 1000) }, claim)).toBe(false);
  expect(keepsStop({ claim }, undefined)).toBe(false);
  expect(keepsStop({ claim: null }, claim)).toBe(true);
});

it.each<readonly [string, object, boolean]>([
  ['goes on elsewhere', {}, true],
  ['is tried again later', failed, true],
  ['has another attempt elsewhere', { submitted: {} }, true],
  ['is another one', { submitted: { isNew: true } }, false],
  ['has completed', { status: 'completed' }, false],
  ['was aborted', { status: 'aborted' }, false],
  ['waits for an answer', { status: 'interrupted', interrupts: [asked('q')] }, false],
  ['is parked', { parked: true }, false],
])('a request to stop and the end of a claim, with a run that %s', (_, rest, isKept) => {
  expect(keepsStop({ claim: null, run: run(rest) }, newClaim('me', 1000))).toBe(isKept);
});

it('listings show what the run of a commit is, and keep it without one', () => {
  const agent = { id: 'a' };
  const parked = run({ parked: true, agent, interrupts: [asked('q'), asked('r')], answers: { q: 1 } });
  expect([statusOf(parked), statusOf(run({}))]).toEqual(['parked', 'running']);
  expect(runColumns({ run: parked })).toEqual({
    status: 'parked',
    agent,
    interrupts: 1,
    due: undefined,
    isDueIfSent: false,
  });
  expect(runColumns({})).toBeUndefined();
});

it('a commit does not change a title', () => {
  expect(nextAbout({ title: 'old' }, { title: 'new', cwd: '/' })).toEqual({ title: 'old', cwd: '/' });
  expect(nextAbout({ cwd: '/' }, { title: 'new' })).toEqual({ title: 'new' });
  expect(nextAbout(undefined, { title: 'new' })).toEqual({ title: 'new' });
});
