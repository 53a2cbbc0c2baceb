import { describe, expect, it } from 'vitest';

import type { Interrupt } from '../../contract/interrupt.ts';
import { approvalOf } from './approval-of.ts';

const call = { id: 'c', name: 'write', input: {} };
const ask = (rest: object): Interrupt =>
  ({
    id: 'i',
    kind: 'approval',
    call,
    payload: { decisions: ['approve'] },
    answerSchema: {},
    ...rest,
  }) as never;

describe('a question for approval', () => {
  it('shows what its payload has', () => {
    const shown = { arguments: '{}', output: '{"a":1}', description: 'Writes.', diff: '+a' };
    const changed = { by: 'audit', tool: 'read', arguments: '{}' };
    const details = { always: { scopes: ['project', 'session', 'world'], rule: 'write' } };
    const payload = { ...shown, changed, decisions: ['reject', 'approve', 'dance'] };
    expect(approvalOf(ask({ payload, details }))).toStrictEqual({
      call,
      decisions: ['approve', 'reject'],
      ...shown,
      changed,
      always: { scopes: ['session', 'project'], rule: 'write' },
    });
  });

  it.each([
    [{ arguments: 7, output: null, description: [], diff: {} }, undefined],
    [{ changed: 'yes' }, undefined],
    [{ changed: { by: 'a', tool: 'b' } }, undefined],
    [{ changed: { by: 'a', arguments: 'c' } }, undefined],
    [{ changed: { tool: 'b', arguments: 'c' } }, undefined],
    [{}, 'always'],
    [{}, { always: true }],
    [{}, { always: { scopes: 'session' } }],
    [{}, { always: { scopes: ['world'] } }],
  ])('shows nothing else: %j, %j', (more, details) => {
    const question = ask({ payload: { decisions: ['approve'], ...more }, details });
    expect(approvalOf(question)).toStrictEqual({ call, decisions: ['approve'] });
  });

  it('may be kept without a rule to propose', () => {
    const details = { always: { scopes: ['session'], rule: 7 } };
    expect(approvalOf(ask({ details }))?.always).toStrictEqual({ scopes: ['session'] });
  });

  it('has the decisions of its answer schema if the payload names none', () => {
    const answerSchema = { properties: { decision: { enum: ['approve', 'respond'] } } };
    for (const payload of ['text', {}, { decisions: [] }, { decisions: 'approve' }])
      expect(approvalOf(ask({ payload, answerSchema }))?.decisions).toEqual(['approve', 'respond']);
  });

  it.each([
    { kind: 'question' },
    { call: undefined },
    { payload: {} },
    { payload: {}, answerSchema: { properties: [] } },
    { payload: {}, answerSchema: { properties: { decision: true } } },
    { payload: {}, answerSchema: { properties: { decision: { enum: ['dance'] } } } },
  ])('is none with %j', (rest) => {
    expect(approvalOf(ask(rest))).toBeUndefined();
  });
});
