import { describe, expect, it } from 'vitest';

import { digestOf } from '../base/digest-of.ts';
import type { AgentEvent } from '../contract/events.ts';
import { isInterrupt } from '../contract/interrupt-signal.ts';
import type { Interrupt, InterruptRequest } from '../contract/interrupt.ts';
import { Questions, type GivenTo } from '../sessions/questions/questions.ts';
import { ask, openUnder, unanswered, type Asker } from './ask.ts';
import { Verdict } from './parts/verdict.ts';
import type { RunParts } from './run-parts.ts';

interface Given extends Partial<GivenTo> {
  readonly before?: readonly Interrupt[];
  readonly isEnding?: boolean;
}

/** A run that notes what it commits and emits. */
function runOf({ before = [], answers = {}, isEnding = false }: Given = {}) {
  const events: AgentEvent[] = [];
  const commits: unknown[] = [];
  const reported: unknown[] = [];
  const positions: unknown[] = [];
  const questions = new Questions(before, { answers });
  const verdict = new Verdict(isEnding ? { reason: 'ended', plugin: 'audit' } : undefined);
  const run = {
    terms: { id: 'r', parts: { name: 'test' } },
    plugins: { parts: { host: { redactions: [] } } },
    record: {
      questions,
      verdict,
      progress: { step: 2, position: { at: 'tools' }, moveTo: (to: unknown) => void positions.push(to) },
      session: {
        id: 's',
        isHeld: true,
        lastTurn: () => [],
        commit: async (change: unknown) => void commits.push(change),
      },
      toRecord: () => 'the record',
    },
    life: { throwIfStopped: () => {}, throwIfOver: () => {}, hook: { position: undefined } },
    signs: {
      listener: (event: AgentEvent) => void events.push(event),
      report: (error: unknown) => void reported.push(error),
    },
  };
  return { run: run as unknown as RunParts, events, commits, reported, positions, questions };
}

const request = {
  kind: 'approval',
  payload: { a: 1 },
  answer: { type: 'string' },
} as const satisfies InterruptRequest;
const hook = (): Asker => ({ plugin: 'audit', place: 'beforeModel', call: undefined, asked: new Map() });
const call = { id: 'c', name: 'pay', input: {} };
const idOf = (asker: Asker): string =>
  digestOf(['r', 2, asker.plugin, asker.place, asker.call ?? null, 'approval', { a: 1 }]);

/** The question that is asked; the promise rejects with it. */
async function questionOf(asked: Promise<unknown>): Promise<Interrupt> {
  const thrown: unknown = await asked.catch((error: unknown) => error);
  if (!isInterrupt(thrown)) throw thrown;
  return thrown.interrupt;
}

describe('a question', () => {
  it('is committed with the run before it is shown, and unwinds to the core', async () => {
    const { run, events, commits, positions } = runOf();
    const asked = await questionOf(ask(run, hook(), request));
    expect(asked).toMatchObject({
      kind: 'approval',
      plugin: 'audit',
      payload: { a: 1 },
      answerSchema: { type: 'string' },
    });
    expect(Object.keys(asked)).not.toContain('details');
    expect(Object.keys(asked)).not.toContain('call');
    expect(commits).toEqual([{ run: 'the record' }]);
    expect(positions).toEqual([{ at: 'tools' }]);
    expect(events).toEqual([{ type: 'interrupt', interrupt: asked }]);
  });

  it('has an id of what is asked and where, which is the same in every process', async () => {
    const asker = hook();
    const { run } = runOf();
    const first = await questionOf(ask(run, asker, request));
    const second = await questionOf(ask(run, asker, request));
    const third = await questionOf(ask(run, asker, request));
    expect([first.id, second.id, third.id]).toEqual([
      `int_${idOf(asker)}`,
      `int_${digestOf([idOf(asker), 1])}`,
      `int_${digestOf([idOf(asker), 2])}`,
    ]);
  });

  it('of a call shows it, and how it is shown', async () => {
    const { run } = runOf();
    const asker = { ...hook(), call, display: () => ({ title: 'Pay', effect: 'write' as const }) };
    const asked = await questionOf(ask(run, asker, { ...request, details: { b: 2 } }));
    expect(asked).toMatchObject({
      call: { ...call, title: 'Pay', effect: 'write' },
      address: { callId: 'c' },
      details: { b: 2 },
    });
  });

  it('takes the place of the intent of the call that asks', async () => {
    const { run, commits } = runOf();
    await questionOf(ask(run, { ...hook(), call, intent: 'intent:c' }, request));
    expect(commits).toEqual([{ run: 'the record', journal: [{ key: 'intent:c', entry: null }] }]);
  });

  it('that was open before is the same, and not looked up again', async () => {
    const asker = { ...hook(), display: () => expect.fail('it is known') };
    const before = { ...(await questionOf(ask(runOf().run, hook(), request))), createdAt: 'long ago' };
    const { run, commits } = runOf({ before: [before] });
    expect(await questionOf(ask(run, asker, request))).toBe(before);
    expect(commits).toHaveLength(1);
  });

  it('is not stored once the end of the run is decided', async () => {
    const { run, events, commits } = runOf({ isEnding: true });
    expect(await questionOf(ask(run, hook(), request))).toMatchObject({ kind: 'approval' });
    expect({ events, commits }).toEqual({ events: [], commits: [] });
  });

  it('with an answer returns it', async () => {
    const asker = hook();
    const { run, commits } = runOf({ answers: { [`int_${idOf(asker)}`]: 'yes' } });
    expect(await ask(run, asker, request)).toBe('yes');
    expect(commits).toEqual([]);
  });

  it('with an answer that does not fit is open again, which is reported', async () => {
    const asker = hook();
    const id = `int_${idOf(asker)}`;
    const { run, reported, commits, questions } = runOf({ answers: { [id]: 7 } });
    expect(await questionOf(ask(run, asker, request))).toMatchObject({ id });
    expect(reported).toMatchObject([
      {
        code: 'INTERRUPT_ANSWER',
        plugin: 'audit',
        message: expect.stringContaining(
          `The answer to ${id} was rejected; the question is open again: `,
        ) as unknown,
      },
    ]);
    expect(questions.answerTo(id)).toBeUndefined();
    expect(commits).toHaveLength(1);
  });
});

const waiting: readonly Interrupt[] = ['one', 'two'].map((id) => ({
  id,
  kind: 'approval',
  plugin: 'audit',
  payload: null,
  answerSchema: {},
  createdAt: 'now',
}));

describe('the questions of a child', () => {
  it('become those of the call that began it, with the way to the child', async () => {
    const { run, commits, events, questions } = runOf({ answers: { one: 'refused' } });
    const deep = [waiting[0], { ...waiting[1], under: ['inner'] }] as readonly Interrupt[];
    expect(await openUnder(run, 'c', deep, 'intent:c')).toMatchObject({ id: 'one', under: ['c'] });
    expect(questions.open.map(({ id, under }) => [id, under])).toEqual([
      ['one', ['c']],
      ['two', ['c', 'inner']],
    ]);
    expect(questions.answerTo('one')).toBeUndefined();
    expect(commits).toEqual([{ run: 'the record', journal: [{ key: 'intent:c', entry: null }] }]);
    expect(events).toHaveLength(2);
  });

  it('are committed once, and not at all once the end is decided', async () => {
    const { run, commits } = runOf();
    await openUnder(run, 'c', waiting, undefined);
    await openUnder(run, 'c', waiting, undefined);
    expect(commits).toHaveLength(1);
    const ending = runOf({ isEnding: true });
    expect(await openUnder(ending.run, 'c', waiting, undefined)).toMatchObject({ id: 'one' });
    expect(ending.commits).toEqual([]);
    expect(await openUnder(run, 'c', [], undefined)).toBeUndefined();
  });
});

describe('a resume without a new answer', () => {
  it('shows the questions again, and waits', () => {
    const { run, events, commits, questions } = runOf({ before: waiting });
    expect(unanswered(run.record, run.signs)?.interrupt).toBe(waiting[0]);
    expect(events).toEqual(waiting.map((interrupt) => ({ type: 'interrupt', interrupt })));
    expect(questions.open).toEqual(waiting);
    expect(commits).toEqual([]);
  });

  it('waits for nothing if nothing was asked there, or one has its answer', () => {
    const { run, events } = runOf({ before: waiting, answers: { two: 'yes' } });
    expect(unanswered(run.record, run.signs)).toBeUndefined();
    expect(unanswered(run.record, run.signs, 'c')).toBeUndefined();
    expect(events).toEqual([]);
  });
});
