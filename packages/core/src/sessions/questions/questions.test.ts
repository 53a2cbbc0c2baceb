import { describe, expect, it } from 'vitest';

import { message } from '../../../../testing/src/store/store-samples.ts';
import type { Interrupt } from '../../contract/interrupt.ts';
import type { Message } from '../../contract/messages.ts';
import { noAnswers, Questions } from './questions.ts';

const at = '2026-01-02T03:04:05.000Z';

/** A question of a call, or of a hook. */
function ask(id: string, callId?: string, under?: readonly string[]): Interrupt {
  const call = callId === undefined ? {} : { call: { id: callId, name: 'look', input: {} } };
  const rest = { kind: 'question', plugin: 'p', payload: null, answerSchema: {}, createdAt: at };
  return { id, ...rest, ...call, ...(under === undefined ? {} : { under }) };
}

function turn(...calls: string[]): Message {
  const content = calls.map((id) => ({ type: 'tool-call', id, name: 'look', input: {} }) as const);
  return { id: 'm', role: 'assistant', content };
}

const ids = (asked: readonly Interrupt[]): string => asked.map(({ id }) => id).join('');

/** Questions from before a resume, of two calls and a hook, some of them answered. */
function resumed(...answered: string[]): Questions {
  const answers = Object.fromEntries(answered.map((id) => [id, `answer to ${id}`]));
  return new Questions([ask('q', 'c'), ask('r', 'c'), ask('s', 'd'), ask('h')], { answers });
}

it('a message shows the answers to its own call, once', () => {
  const questions = new Questions([], {
    answers: { q1: 'yes', q2: 'no' },
    answered: { q1: { kind: 'approval', callId: 'c1', by: 'anna', at }, q2: { kind: 'question', at } },
  });
  const answersIn = (callId?: string): unknown => questions.noteIn(message('m1'), callId).metadata?.['core'];
  expect(answersIn('c2')).toBeUndefined();
  expect(answersIn('c1')).toEqual({ answers: [{ kind: 'approval', by: 'anna', at, answer: 'yes' }] });
  expect(answersIn('c1')).toBeUndefined();
  expect(answersIn()).toEqual({ answers: [{ kind: 'question', at, answer: 'no' }] });
});

describe('open questions', () => {
  it('are added once, in the order of their calls, those of hooks first', () => {
    const questions = new Questions();
    const added = [ask('d', 'd'), ask('c', 'c'), ask('h'), ask('c', 'c'), ask('e', 'inner', ['c', 'x'])];
    expect(added.map((each) => questions.add(each, turn('c', 'd')))).toEqual([true, true, true, false, true]);
    expect(ids(questions.open)).toBe('hced');
    expect(ids(questions.of('running'))).toBe('hced');
  });

  it('stand as they were asked where no turn is known', () => {
    const questions = new Questions();
    for (const each of [ask('d', 'd'), ask('c', 'c')]) questions.add(each, undefined);
    expect(ids(questions.open)).toBe('dc');
  });

  it('are withdrawn together, or with their call', () => {
    const questions = resumed();
    for (const each of [ask('t', 'c'), ask('u', 'd'), ask('v')]) questions.add(each, turn('c', 'd'));
    questions.withdraw('c');
    expect(ids(questions.open)).toBe('vu');
    expect(ids(questions.of('running'))).toBe('shvu');
    questions.withdraw();
    expect(ids(questions.open)).toBe('');
    expect(ids(questions.of('running'))).toBe('sh');
  });
});

describe('questions from before a resume', () => {
  it('are found by their id', () => {
    expect(resumed().before('s')?.id).toBe('s');
    expect(resumed().before('x')).toBeUndefined();
  });

  it('wait for an answer until their call has one', () => {
    const questions = resumed('s');
    expect(['c', 'd', 'x', undefined].map((call) => ids(questions.unanswered(call)))).toEqual([
      'qr',
      '',
      '',
      'h',
    ]);
    expect(ids(resumed('r').unanswered('c'))).toBe('');
    expect(new Questions().unanswered()).toEqual([]);
  });

  it('are stored with those that were asked since, until the run waits again', () => {
    const questions = resumed();
    questions.add(ask('s', 'd'), turn('c', 'd'));
    questions.add(ask('t', 'd'), turn('c', 'd'));
    expect(ids(questions.of('running'))).toBe('qrsht');
    expect(ids(questions.of('interrupted'))).toBe('st');
    expect(ids(new Questions([]).of('running'))).toBe('');
  });

  it('that were answered are over when their call asks again', () => {
    const questions = resumed('q');
    questions.add(ask('t', 'c'), turn('c', 'd'));
    expect(ids(questions.of('running'))).toBe('rsht');
  });

  it('are over with their call, or all together', () => {
    const questions = resumed('q', 'h');
    questions.settle('c');
    expect(ids(questions.of('running'))).toBe('sh');
    questions.forget();
    expect(ids(questions.of('running'))).toBe('');
    expect(questions.answers).toEqual({});
  });
});

describe('answers', () => {
  const note = (callId?: string) => ({ kind: 'question', at, ...(callId === undefined ? {} : { callId }) });

  it('are those of the record, and none without one', () => {
    const questions = resumed('q');
    expect([questions.answerTo('q'), questions.answerTo('r')]).toEqual(['answer to q', undefined]);
    expect(questions.given).toStrictEqual({ answers: { q: 'answer to q' } });
    expect(new Questions().answers).toBe(noAnswers);
    expect(new Questions().given).toStrictEqual({ answers: {} });
  });

  it('have their givers beside them', () => {
    const given = { answers: { q: 1 }, answered: { q: note('c') } };
    expect(new Questions([], given).given).toStrictEqual(given);
    expect(new Questions([], { answers: {}, answered: {} }).given).toStrictEqual({ answers: {} });
  });

  it('that are refused leave the question open', () => {
    const given = { answers: { q: 1, s: 2 }, answered: { q: note('c'), s: note('d') } };
    const questions = new Questions([ask('q', 'c'), ask('s', 'd')], given);
    questions.refuseAnswer('q');
    expect(questions.given).toStrictEqual({ answers: { s: 2 }, answered: { s: note('d') } });
    expect(ids(questions.unanswered('c'))).toBe('q');
    new Questions().refuseAnswer('q');
  });

  it('of a run under way send each call that asked through once more', () => {
    const questions = new Questions();
    const asked = [ask('q', 'c'), ask('r', 'c'), ask('s', 'd'), ask('h')];
    for (const each of asked) questions.add(each, turn('c', 'd'));
    expect(questions.give({ answers: { q: 1, h: 2 }, answered: { q: note('c') } })).toEqual(['c']);
    expect(ids(questions.open)).toBe('s');
    expect(ids(questions.of('running'))).toBe('hqrs');
    expect(questions.answerTo('q')).toBe(1);
    expect(questions.answered).toEqual({ q: note('c') });
    expect(questions.give({ answers: { s: 3 } })).toEqual(['d']);
    expect(questions.answers).toEqual({ q: 1, h: 2, s: 3 });
  });

  it('to hooks outlast the step until a message shows them', () => {
    const given = { answers: { q: 1, h: 2, x: 3 }, answered: { q: note('c'), h: note() } };
    const questions = new Questions([ask('q', 'c'), ask('h')], given);
    questions.forget();
    expect(questions.given).toStrictEqual({ answers: { h: 2 }, answered: { h: note() } });
    questions.noteIn(message('m'));
    questions.forget();
    expect(questions.given).toStrictEqual({ answers: {} });
    new Questions().forget();
  });
});
