import { expect, it } from 'vitest';

import { message } from '../../../../testing/src/store/store-samples.ts';
import { Questions } from './questions.ts';

it('a message shows the answers to its own call, once', () => {
  const at = '2026-01-02T03:04:05.000Z';
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
