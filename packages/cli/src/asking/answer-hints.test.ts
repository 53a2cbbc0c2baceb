import type { Interrupt } from '@shallot/core';
import { expect, it } from 'vitest';

import { summarize } from '../rendering/summarize.ts';

const question: Interrupt = {
  id: 'int_1',
  kind: 'approval',
  plugin: 'hitl',
  payload: { a: 1 },
  answerSchema: {},
  createdAt: '2030-01-01T00:00:00Z',
};

it('a question on one line says what the call is executed with, where that is not what was asked for', () => {
  const call = { id: 'c', name: 'remove', input: { path: '/a' } };
  expect(summarize(question)).toBe('approval: {"a":1}');
  expect(summarize({ ...question, call })).toBe('approval: remove {"path":"/a"}');
  const output = { value: { path: '/etc/a\u200b' } };
  expect(summarize({ ...question, call: { ...call, output } })).toBe(
    'approval: remove {"path":"/a"}, executed with {"path":"/etc/a⟨U+200B⟩"}',
  );
});
