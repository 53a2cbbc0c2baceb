import type { Interrupt } from '@shallot/core';
import { expect, it } from 'vitest';

import { approvalOf, decisionOf } from './approval.ts';

const question: Interrupt = {
  id: 'int_1',
  kind: 'approval',
  plugin: 'hitl',
  payload: { tool: 'write', arguments: 'path: "/a"', decisions: ['approve', 'reject', 'dance'] },
  answerSchema: {},
  createdAt: '2026-01-01T00:00:00.000Z',
};

it('a question for approval has the decisions that are known', () => {
  expect(approvalOf(question)).toMatchObject({ tool: 'write', decisions: ['approve', 'reject'] });
  const details = { always: { scopes: ['session', 'world'], rule: 'edit(/a)' } };
  expect(approvalOf({ ...question, details })?.always).toEqual({ scopes: ['session'], rule: 'edit(/a)' });
});

it('any other question is answered by its schema', () => {
  expect(approvalOf({ ...question, kind: 'question' })).toBe(undefined);
  expect(approvalOf({ ...question, payload: { euros: 5 } })).toBe(undefined);
});

it('a decision takes what was written', () => {
  expect(decisionOf('edit', '{ "path": "/b" }')).toEqual({
    value: { decision: 'edit', args: { path: '/b' } },
  });
  expect(decisionOf('edit', '[]')).toEqual({ problem: 'The arguments are an object.' });
  expect(decisionOf('reject', ' ')).toEqual({ value: { decision: 'reject' } });
  expect(decisionOf('reject', 'no')).toEqual({ value: { decision: 'reject', reason: 'no' } });
  expect(decisionOf('respond', 'paid')).toEqual({ value: { decision: 'respond', content: 'paid' } });
});
