import { type MessageInput, defineTool, type Tool } from '@shallot/core';
import { toMessage, type ModelRequest } from '@shallot/core/model';
import { describe, expect, it } from 'vitest';

import { assertValidRequest } from './assert-valid-request.ts';
import { scriptedModel } from './scripted-model.ts';

const user: MessageInput = { role: 'user', content: 'hello' };

function tool(name: string): Tool {
  return defineTool({ name, description: '', input: { type: 'object' }, execute: () => '' });
}

function calling(...ids: string[]): MessageInput {
  return { role: 'assistant', content: ids.map((id) => ({ type: 'tool-call', id, name: 'f', input: {} })) };
}

function answering(callId: string): MessageInput {
  return { role: 'tool', callId, name: 'f', content: 'done' };
}

function problemsOf(messages: readonly MessageInput[], rest: Partial<ModelRequest> = {}): string {
  let ids = 0;
  const request: ModelRequest = {
    model: scriptedModel([]),
    instructions: '',
    messages: messages.map((message) => toMessage(message, () => `m${(ids += 1)}`)),
    settings: {},
    ...rest,
  };
  try {
    assertValidRequest(request);
    return 'valid';
  } catch (error) {
    return String(error).split('\n').slice(1).join('\n').trim();
  }
}

describe('assertValidRequest', () => {
  it('accepts calls that are answered in order', () => {
    const messages = [
      user,
      calling('a', 'b'),
      answering('a'),
      answering('b'),
      user,
      calling('c'),
      answering('c'),
    ];
    expect(problemsOf(messages, { tools: [tool('f'), tool('g')], toolChoice: { tool: 'g' } })).toBe('valid');
  });

  it.each([
    ['no messages', [], {}, 'it has no messages'],
    [
      'two messages of one id',
      [
        { ...user, id: 'x' },
        { ...user, id: 'x' },
      ],
      {},
      'messages[1] has the id "x" of an earlier message',
    ],
    ['a message without an id', [{ ...user, id: '' }], {}, 'messages[0] has no id'],
    [
      'an orphan result',
      [user, answering('a')],
      {},
      'messages[1] is the result of "a", which no open call has',
    ],
    [
      'a second result',
      [calling('a'), answering('a'), answering('a')],
      {},
      'messages[2] is the result of "a", which no open call has',
    ],
    [
      'results out of order',
      [calling('a', 'b'), answering('b'), answering('a')],
      {},
      'messages[1] is the result of "b" before that of "a"',
    ],
    ['a dangling call', [calling('a')], {}, 'the call "a" has no result'],
    [
      'a call that is answered too late',
      [calling('a'), user, answering('a')],
      {},
      'the call "a" has no result before messages[1], a user message\n  messages[2] is the result of "a", which no open call has',
    ],
    [
      'a call id that was used before',
      [calling('a'), answering('a'), calling('a'), answering('a')],
      {},
      'messages[2] has the call id "a" of an earlier call',
    ],
    ['a call without an id', [calling(''), answering('')], {}, 'messages[0] has a tool call without an id'],
    [
      'an empty list of tools',
      [user],
      { tools: [] },
      'its tools are an empty list; they must be absent then',
    ],
    ['two tools of one name', [user], { tools: [tool('f'), tool('f')] }, 'two tools have the name "f"'],
    [
      'a choice that is not offered',
      [user],
      { toolChoice: { tool: 'f' } },
      'its toolChoice names "f", which is not among its tools',
    ],
  ] satisfies [string, MessageInput[], Partial<ModelRequest>, string][])(
    'refuses %s',
    (_, messages, rest, problem) => {
      expect(problemsOf(messages, rest)).toBe(problem);
    },
  );

  it('refuses what is not a message, and does not freeze what it looks at', () => {
    const part = { type: 'image' };
    const messages = JSON.parse(
      JSON.stringify([{ id: 'x', role: 'user', content: [part] }]),
    ) as ModelRequest['messages'];
    expect(problemsOf([], { messages })).toMatch(/^messages\[0\]: .* "image"/);
    expect(Object.isFrozen(messages[0])).toBe(false);
  });
});
