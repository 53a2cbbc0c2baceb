import { describe, expect, it } from 'vitest';

import {
  textOf,
  textPart,
  toMessage,
  toMessages,
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
