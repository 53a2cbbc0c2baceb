import { describe, expect, it } from 'vitest';

import type { AssistantPart } from '../../contract/messages.ts';
import type { ModelRequest } from '../../contract/model.ts';
import type { RecordWriter } from '../record-writer.ts';
import { completeResponse, isEmptyAnswer, withOwnId } from './model-response.ts';

const usage = { input: 1, output: 2, total: 3 };
const text: AssistantPart = { type: 'text', text: 'Hi' };
const message = { role: 'assistant', content: [text] } as const;

const session = { hasMessage: (id: string) => id === 'taken', hasCall: (id: string) => id === 'old' };

function completed(answered: unknown, isUsed: (id: string) => boolean = () => false) {
  let count = 0;
  const record = { session, newMessageId: () => `new_${(count += 1)}` } as unknown as RecordWriter;
  return completeResponse(record, { model: { id: 'test/m' } } as unknown as ModelRequest, answered, isUsed);
}

describe('the response of a model', () => {
  it('is whole and frozen, and the model’s object stays its own', () => {
    const answered = { message, finish: 'stop', usage: { ...usage }, metadata: { id: ['r'] } };
    const response = completed(answered);
    expect(response).toMatchObject({ message: { id: 'new_1', ...message }, finish: 'stop', usage });
    const { metadata } = response;
    for (const each of [response, response.message, response.usage, metadata, metadata?.['id']])
      expect(Object.isFrozen(each)).toBe(true);
    expect([answered.usage, answered.metadata].some((each) => Object.isFrozen(each))).toBe(false);
    expect('usage' in completed({ message, finish: 'stop' })).toBe(false);
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'undefined'],
    ['no message', { finish: 'stop' }, 'an object with the keys finish'],
    ['a message that is none', { message: 'Hi', finish: 'stop' }, 'a response whose message is "Hi"'],
    [
      'another role',
      { message: { ...message, role: 'user' }, finish: 'stop' },
      'a response whose message.role is "user" instead of "assistant"',
    ],
    ['no content', { message: { role: 'assistant' }, finish: 'stop' }, 'a response whose message.content is'],
    ['no finish', { message }, 'a response whose finish is undefined instead of stop, tool-calls, length'],
    ['a finish of no model', { message, finish: 'toString' }, 'a response whose finish is "toString"'],
    ['usage that is none', { message, finish: 'stop', usage: 3 }, 'a response whose usage is the number 3'],
    [
      'usage without a count',
      { message, finish: 'stop', usage: { ...usage, output: Number.NaN } },
      'a response whose usage.output is',
    ],
  ])('may not have %s', (_, answered, fault) => {
    expect(() => completed(answered)).toThrow(
      expect.objectContaining({
        code: 'MODEL_RESPONSE',
        message: expect.stringContaining(`The model test/m returned ${fault}`) as unknown,
      }),
    );
  });

  it.each(['stop', 'tool-calls', 'length', 'content-filter', 'paused', 'other'])(
    'may finish with %s',
    (finish) => {
      expect(completed({ message, finish }).finish).toBe(finish);
    },
  );

  it('that finishes with an error is one, which may pass', () => {
    expect(() => completed({ message, finish: 'error' })).toThrow(
      expect.objectContaining({
        code: 'MODEL_FAILED',
        transient: true,
        message: 'The model test/m ended its answer with an error.',
      }),
    );
  });

  it.each([
    ['keeps an id that nobody has', 'own', 'own'],
    ['loses an id that a message of the session has', 'taken', 'new_1'],
    ['loses an id that an answer of this call has', 'used', 'new_1'],
  ])('%s', (_, id, expected) => {
    const response = completed({ message: { ...message, id }, finish: 'stop' }, (each) => each === 'used');
    expect(response.message.id).toBe(expected);
  });

  it('has calls with ids that no other call has', () => {
    const call = (id: string): AssistantPart => ({ type: 'tool-call', id, name: 'work', input: {} });
    const { message: complete } = completed({
      message: { role: 'assistant', content: [call('a'), call('old'), call('a')] },
      finish: 'tool-calls',
    });
    const ids = complete.content.map((part) => ('id' in part ? part.id : ''));
    expect(ids[0]).toBe('a');
    expect(new Set(ids).size).toBe(3);
    expect(ids).not.toContain('old');
  });
});

it('a message without an id has none to lose', () => {
  expect(withOwnId(session as never, message as never)).toBe(message);
  expect(withOwnId(session as never, { ...message, id: 'taken' })).toEqual(message);
});

it.each<[string, readonly unknown[], boolean]>([
  ['no part', [], true],
  ['white space', [{ type: 'text', text: ' \n' }], true],
  ['reasoning', [{ type: 'reasoning', text: 'Hm.' }], true],
  [
    'a call that the provider executes',
    [{ type: 'provider-call', id: 'a', name: 'search', input: {} }],
    true,
  ],
  ['text', [{ type: 'text', text: ' ' }, text], false],
  ['a file', [{ type: 'file', mediaType: 'image/png', data: '' }], false],
  ['a tool call', [{ type: 'tool-call', id: 'a', name: 'work', input: {} }], false],
])('an answer of %s is empty, or not', (_, content, isEmpty) => {
  expect(isEmptyAnswer({ message: { role: 'assistant', content }, finish: 'stop' } as never)).toBe(isEmpty);
});
