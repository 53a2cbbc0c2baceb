import { describe, expect, it } from 'vitest';

import { toMessages, type AssistantPart, type Message, type MessageInput } from '../../contract/messages.ts';
import { MessageLog } from './message-log.ts';
import { withOwnCalls, withUniqueCalls } from './unique-calls.ts';

const call = (id: string): AssistantPart => ({ type: 'tool-call', id, name: 'look', input: {} });

function newIds(): () => string {
  let count = 0;
  return () => `r:${(count += 1)}`;
}

function turn(...ids: string[]): MessageInput[] {
  return [
    { role: 'assistant', content: ids.map((id) => call(id)) },
    ...ids.map((callId): MessageInput => ({ role: 'tool', callId, name: 'look', content: callId })),
  ];
}

function complete(...inputs: MessageInput[]): Message[] {
  let count = 0;
  return toMessages(inputs, () => `m${(count += 1)}`);
}

const callsOf = (messages: readonly Message[]): string[] =>
  messages.flatMap((message) =>
    message.role === 'tool'
      ? [`-> ${message.callId}`]
      : message.content.flatMap((part) => (part.type === 'tool-call' ? [part.id] : [])),
  );

describe('a message of the model', () => {
  const idsOf = (ids: readonly unknown[], isUsed = (_id: string): boolean => false): unknown => {
    const content = [{ type: 'text', text: 'Look.' } as const, ...ids.map((id) => call(id as string))];
    return callsOf([withUniqueCalls({ role: 'assistant', content }, isUsed, newIds())]);
  };

  it('keeps the ids of its calls', () => {
    expect(idsOf(['a', 'b'])).toEqual(['a', 'b']);
  });

  it.each([
    [
      ['', 'a'],
      ['call_r_1', 'a'],
    ],
    [
      [undefined, 7],
      ['call_r_1', 'call_r_2'],
    ],
    [
      ['a', 'a', 'a'],
      ['a', 'call_r_1', 'call_r_2'],
    ],
    [
      ['a', 'b', 'a'],
      ['a', 'b', 'call_r_1'],
    ],
    [
      ['used', 'a'],
      ['call_r_1', 'a'],
    ],
  ])('whose calls have the ids %j gets %j', (ids, own) => {
    expect(idsOf(ids, (id) => id === 'used')).toEqual(own);
  });

  it('that is whole and unique is returned as it is', () => {
    const [message] = complete({ role: 'assistant', content: [call('a')] });
    if (message?.role !== 'assistant') throw new Error('It is the message of a model.');
    expect(withUniqueCalls(message, () => false, newIds())).toBe(message);
    expect(withUniqueCalls(message, () => true, newIds())).not.toBe(message);
  });
});

describe('messages that are added', () => {
  it('are the same list if no call has the id of another', () => {
    const messages = complete({ role: 'user', content: 'Go' }, ...turn('a', 'b'));
    expect(withOwnCalls(messages, MessageLog.of(), newIds())).toBe(messages);
    expect(withOwnCalls(messages, MessageLog.of(complete(...turn('c'))), newIds())).toBe(messages);
  });

  it('have other ids for calls that were there before, also in their results', () => {
    const before = MessageLog.of(complete(...turn('a')));
    const [user, ...rest] = complete({ role: 'user', content: 'Go' }, ...turn('a', 'b'), ...turn('c'));
    const messages = [user as Message, ...rest];
    const own = withOwnCalls(messages, before, newIds());
    expect(callsOf(own)).toEqual(['call_r_1', 'b', '-> call_r_1', '-> b', 'c', '-> c']);
    expect(own[0]).toBe(user);
    expect(own.slice(4)).toEqual(messages.slice(4));
  });

  it('have other ids for calls that repeat one of theirs, and each result follows the last one', () => {
    const messages = complete(...turn('a'), ...turn('a'), ...turn('a'));
    expect(callsOf(withOwnCalls(messages, MessageLog.of(), newIds()))).toEqual([
      'a',
      '-> a',
      'call_r_1',
      '-> call_r_1',
      'call_r_2',
      '-> call_r_2',
    ]);
  });

  it('are checked only after those that were paired before, in a list with a log of its own', () => {
    const messages = complete(...turn('a'), ...turn('b'), ...turn('a'));
    const log = MessageLog.of(messages.slice(0, 4));
    log.notePaired();
    log.append(messages.slice(4));
    log.nameAs(messages);
    const own = withOwnCalls(messages, MessageLog.of(), newIds());
    expect(callsOf(own)).toEqual(['a', '-> a', 'b', '-> b', 'call_r_1', '-> call_r_1']);
    expect(own.slice(0, 4).every((message, index) => message === messages[index])).toBe(true);
    const before = MessageLog.of(complete(...turn('b')));
    expect(callsOf(withOwnCalls(messages, before, newIds()))).toEqual([
      'a',
      '-> a',
      'call_r_1',
      '-> call_r_1',
      'call_r_2',
      '-> call_r_2',
    ]);
  });
});
