import { describe, expect, it } from 'vitest';

import {
  isWholeMessage,
  textOf,
  textPart,
  toMessage,
  toMessages,
  toolCallsOf,
  type AssistantMessage,
  type ToolMessage,
} from './messages.ts';

describe('the text of a message', () => {
  const parts = [textPart('one'), textPart(' two\n'), textPart(''), textPart('three')];

  it('of a tool has a break between its parts', () => {
    const content = [textPart('one'), { type: 'file', mediaType: 'image/png', data: '' } as const, ...parts];
    const message: ToolMessage = { id: 'm', role: 'tool', callId: 'c', name: 't', content };
    expect(textOf(message)).toBe('one\none\n two\nthree');
    expect(textOf({ content })).toBe(textOf(message));
  });

  it('of a model is one, in however many pieces it came', () => {
    const message: AssistantMessage = { id: 'm', role: 'assistant', content: parts };
    expect(textOf(message)).toBe('one two\nthree');
  });
});

describe('a message that was completed already', () => {
  const newId = (): string => 'new';

  it('is taken as it is', () => {
    const message = toMessage({ role: 'user', content: 'Hello' }, newId);
    expect(toMessages([message, { role: 'user', content: 'again' }], newId)[0]).toBe(message);
  });

  it('is none when it only looks like it, or has been refused', () => {
    const message = toMessage({ role: 'user', content: 'Hello' }, newId);
    expect(toMessage({ ...message }, newId)).not.toBe(message);
    const bad = {
      role: 'user',
      content: [{ type: 'text', text: 'x', metadata: { when: new Date(0) } }],
    } as never;
    for (const _ of ['first', 'second'])
      expect(() => toMessage(bad, newId)).toThrow('content[0].metadata.when is an instance of Date');
  });
});

describe('input', () => {
  const newId = (): string => 'new';

  it.each([
    '',
    ' \n',
    { role: 'user', content: '' },
    [{ role: 'user', content: [{ type: 'text', text: '\t' }] }],
  ] as const)('refuses blank input: %o', (input) => {
    expect(() => toMessages(input, newId)).toThrow(expect.objectContaining({ code: 'MESSAGE_INVALID' }));
  });

  it('may hold a blank message beside others, or a file without text', () => {
    expect(
      toMessages(
        [
          { role: 'user', content: '' },
          { role: 'user', content: 'Hi' },
        ],
        newId,
      ),
    ).toHaveLength(2);
    const file = { type: 'file', mediaType: 'image/png', data: 'AA==' } as const;
    expect(toMessages({ role: 'user', content: [file] }, newId)).toHaveLength(1);
  });
});

describe('a message that is not valid', () => {
  const toolMessage = { role: 'tool', callId: 'c', name: 't', content: 'ok' };

  it.each([
    [undefined, 'the input is undefined'],
    [null, 'the input is null'],
    ['', 'the input is blank; write what the agent is asked'],
    [[{ role: 'user', content: ' ' }], 'the input has neither text nor a file'],
    [['Hello'], 'a message is "Hello"'],
    [[null], 'a message is null'],
    [{ content: 'Hello' }, 'a message has the role undefined'],
    [{ role: 'toString', content: 'Hello' }, 'a message has the role "toString"'],
    [{ role: 'user' }, 'in a message of the role user, content is undefined; use an array of parts'],
    [{ role: 'user', content: [7] }, 'content[0] is the number 7; use a part'],
    [{ role: 'user', content: [textPart('a'), null] }, 'content[1] is null; use a part'],
    [{ role: 'user', content: [{}] }, 'content[0].type is undefined; use one of text, file'],
    [{ role: 'system', content: [{ type: 'file' }] }, 'content[0].type is "file"; use one of text.'],
    [{ role: 'user', content: [{ type: 'text' }] }, 'content[0].text is undefined; it must be a string'],
    [
      { role: 'assistant', content: [{ type: 'reasoning', text: 1 }] },
      'content[0].text is the number 1; it must be a string',
    ],
    [{ role: 'assistant', content: [{ type: 'tool-call', id: 'c' }] }, 'content[0].name is undefined'],
    [{ role: 'assistant', content: [{ type: 'provider-call' }] }, 'content[0].name is undefined'],
    [{ role: 'assistant', content: [{ type: 'provider-result' }] }, 'content[0].name is undefined'],
    [{ role: 'user', content: [{ type: 'file' }] }, 'content[0].mediaType is undefined; it must be a string'],
    [
      { role: 'assistant', content: [{ type: 'tool-call', name: 'find', input: {} }] },
      'the id of the call of find is undefined',
    ],
    [{ ...toolMessage, callId: undefined }, 'a tool message has no callId or name'],
    [{ ...toolMessage, name: 3 }, 'a tool message has no callId or name'],
  ])('is refused: %j', (input, fault) => {
    expect(() => toMessages(input as never, () => 'new', 'audit')).toThrow(
      expect.objectContaining({
        code: 'MESSAGE_INVALID',
        plugin: 'audit',
        message: expect.stringContaining(fault) as string,
      }),
    );
  });
});

describe('a message from input', () => {
  const newId = (): string => 'new';

  it('has the id it was given, or a new one, and text content as a part', () => {
    expect(toMessages('Hello', newId)).toStrictEqual([
      { id: 'new', role: 'user', content: [textPart('Hello')] },
    ]);
    expect(toMessage({ role: 'user', content: 'Hello', id: 'own' }, newId)).toStrictEqual({
      id: 'own',
      role: 'user',
      content: [textPart('Hello')],
    });
    expect(toMessages([], newId)).toEqual([]);
  });

  it('is frozen with its parts, which are copied', () => {
    const part = { type: 'text' as const, text: 'Hello' };
    for (const message of [
      ...toMessages('Hello', newId),
      toMessage({ role: 'user', content: [part] }, newId),
    ]) {
      expect([message, message.content, message.content[0]].map(Object.isFrozen)).toEqual([true, true, true]);
      expect(isWholeMessage(message)).toBe(true);
      expect(isWholeMessage({ ...message })).toBe(false);
    }
    expect(Object.isFrozen(part)).toBe(false);
    for (const other of [null, undefined, 'Hello']) expect(isWholeMessage(other)).toBe(false);
  });
});

it('the tool calls of a message are those that an assistant made, in order', () => {
  const call = (id: string) => ({ type: 'tool-call', id, name: 'find', input: {} }) as const;
  const content = [call('a'), textPart('and'), call('b')];
  const made = toMessage({ role: 'assistant', content }, () => 'new');
  expect(toolCallsOf(made)).toEqual([call('a'), call('b')]);
  expect(toolCallsOf(toMessage({ role: 'user', content: 'Hello' }, () => 'new'))).toEqual([]);
});
