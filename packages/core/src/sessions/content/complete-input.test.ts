import { describe, expect, test } from 'vitest';

import { scriptedModel, type ScriptedStep } from '../../../../testing/src/scripted-model.ts';
import type { Agent } from '../../agent.ts';
import { textPart, type Message, type MessageInput, type ToolCallPart } from '../../contract/messages.ts';
import { createAgent } from '../../create-agent.ts';
import { completeInput } from './complete-input.ts';
import { MessageLog } from './message-log.ts';
import { pairCalls } from './pairing.ts';

let ids = 0;
const newId = (): string => `new-${(ids += 1)}`;

/** A conversation of so many messages, as somebody has written it down. */
function written(length: number): MessageInput[] {
  return Array.from({ length }, (_, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: `text ${index}`,
  }));
}

function agentOf(...steps: ScriptedStep[]): Promise<Agent> {
  return createAgent({ model: scriptedModel(steps), log: 'silent' });
}

describe('a long input', () => {
  test('is a list of its own, with the messages of the earlier one in their places', () => {
    const first = completeInput(written(200), newId);
    const passed: MessageInput[] = [...first, { role: 'user', content: 'more' }];
    const second = completeInput(passed, newId);
    expect(second).not.toBe(passed);
    expect(second.slice(0, 200).every((message, index) => message === first[index])).toBe(true);
    expect(second.at(-1)).toMatchObject({ role: 'user', content: [textPart('more')] });

    passed[0] = { role: 'user', content: 'changed' };
    expect(second[0]).toBe(first[0]);
    expect(MessageLog.named(second)?.view).toEqual(second);
  });

  test.each([0, 1, 100, 198, 199])('is looked at from message %d on, where another one stands', (index) => {
    const first = completeInput(written(200), newId);
    const changed: unknown[] = [...first];
    changed[index] = { role: 'nobody', content: '' };
    expect(() => completeInput(changed as Message[], newId)).toThrow(/role "nobody"/);
    changed[index] = { ...first[index], content: 'another' };
    const second = completeInput(changed as Message[], newId);
    expect(second[index]).toMatchObject({ id: first[index]?.id, content: [textPart('another')] });
    expect(Object.isFrozen(second[index])).toBe(true);
    expect(MessageLog.named(second)?.view).toEqual(second);
    expect(MessageLog.named(first)?.view).toEqual(first);
  });

  test('with a hole, with nothing and with a message that was changed by its owner is refused or completed', () => {
    const first = completeInput(written(200), newId);
    const holey: MessageInput[] = first.slice(0, 150);
    holey[151] = { role: 'user', content: 'after a hole' };
    expect(() => completeInput(holey, newId)).toThrow('a message is undefined');
    expect(() => completeInput([null as never, ...first], newId)).toThrow('a message is null');
    const copies = first.map((message) => Object.assign({}, message));
    expect(completeInput(copies, newId)[7]).not.toBe(copies[7]);
  });

  test('has its calls checked again where it was cut off', () => {
    const call = (id: string): ToolCallPart => ({ type: 'tool-call', id, name: 'look', input: {} });
    const result = (callId: string): MessageInput => ({
      role: 'tool',
      callId,
      name: 'look',
      content: 'seen',
    });
    const whole = completeInput(
      [
        ...written(200),
        { role: 'user', content: 'go' },
        { role: 'assistant', content: [call('a'), call('b')] },
        result('a'),
        result('b'),
        { role: 'assistant', content: 'done' },
      ],
      newId,
    );
    expect(pairCalls(whole, newId)).toEqual({ messages: whole, answered: [], dropped: [] });
    const cut = (length: number, ...more: MessageInput[]): unknown => {
      const { answered, dropped } = pairCalls(
        completeInput([...whole.slice(0, length), ...more], newId),
        newId,
      );
      return { answered, dropped };
    };
    const user: MessageInput = { role: 'user', content: 'more' };
    expect(cut(205, user)).toEqual({ answered: [], dropped: [] });
    expect(cut(204, user)).toEqual({ answered: [], dropped: [] });
    expect(cut(203, user)).toEqual({ answered: ['b'], dropped: [] });
    expect(cut(203, result('b'), user)).toEqual({ answered: [], dropped: [] });
    expect(cut(202)).toEqual({ answered: ['a', 'b'], dropped: [] });
    expect(cut(204, result('a'))).toEqual({ answered: [], dropped: ['a'] });
    expect(cut(201, result('a'))).toEqual({ answered: [], dropped: ['a'] });
  });
});

describe('a conversation that its owner passes back', () => {
  test('goes on from its end, from an earlier place, and in two ways', async () => {
    const steps: ScriptedStep[] = ['one', 'two', 'three', 'four'].map((text) => ({ text }));
    await using agent = await agentOf(...steps);
    const one = await agent.run(written(151));
    const two = await agent.run([...one.messages, { role: 'user', content: 'b' }]);
    const three = await agent.run([...one.messages, { role: 'user', content: 'c' }]);
    const four = await agent.run([...two.messages, { role: 'user', content: 'd' }]);
    const said = ({ messages }: typeof one): unknown[] =>
      messages.slice(151).map(({ content: [part] }) => part?.type === 'text' && part.text);
    expect(said(one)).toEqual(['one']);
    expect(said(two)).toEqual(['one', 'b', 'two']);
    expect(said(three)).toEqual(['one', 'c', 'three']);
    expect(said(four)).toEqual(['one', 'b', 'two', 'd', 'four']);
    for (const { messages } of [two, three, four]) expect(messages.slice(0, 152)).toEqual(one.messages);
  });

  test('has its own ids of calls, whatever another one that began alike has', async () => {
    const calling = (id: string): ScriptedStep => ({ toolCalls: [{ name: 'look', args: {}, id }] });
    await using agent = await agentOf({ text: 'one' }, calling('a'), { text: 'two' }, calling('a'), {
      text: 'three',
    });
    const known = (await agent.run(written(151))).messages;
    const idsOf = (messages: readonly Message[]): unknown[] =>
      messages.flatMap(({ content }) =>
        content.flatMap((part) => (part.type === 'tool-call' ? [part.id] : [])),
      );
    for (const text of ['b', 'c']) {
      const { messages } = await agent.run([...known, { role: 'user', content: text }]);
      expect(idsOf(messages)).toEqual(['a']);
    }
  });
});
