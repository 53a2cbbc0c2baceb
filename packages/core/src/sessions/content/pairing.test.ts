import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { collectEvents } from '../../../../testing/src/collect-events.ts';
import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import { definePlugin } from '../../contract/define-plugin.ts';
import { toMessages, type Message, type MessageInput } from '../../contract/messages.ts';
import { createAgent } from '../../create-agent.ts';
import { openCalls, pairCalls } from './pairing.ts';

const asks = (...ids: string[]): MessageInput => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool-call' as const, id, name: 'look', input: {} })),
});
const result = (callId: string): MessageInput => ({
  role: 'tool',
  callId,
  name: 'look',
  content: `saw ${callId}`,
});
const user: MessageInput = { role: 'user', content: 'hello' };

function complete(messages: readonly MessageInput[]): Message[] {
  let count = 0;
  return toMessages(messages, () => `m${(count += 1)}`);
}

function pair(...messages: MessageInput[]): ReturnType<typeof pairCalls> {
  let count = 0;
  return pairCalls(complete(messages), () => `new${(count += 1)}`);
}

const outline = (messages: readonly Message[]): string[] =>
  messages.map((message) => (message.role === 'tool' ? `tool ${message.callId}` : message.role));

describe('pairing calls with results', () => {
  it('leaves a valid history as it is, the very same array', () => {
    const messages = complete([user, asks('a', 'b'), result('a'), result('b'), user]);
    expect(pairCalls(messages, () => 'x').messages).toBe(messages);
  });

  it('answers a call without a result, where its result belongs', () => {
    const pairing = pair(user, asks('a', 'b'), result('b'), user);
    expect(outline(pairing.messages)).toEqual(['user', 'assistant', 'tool a', 'tool b', 'user']);
    expect(pairing.answered).toEqual(['a']);
    expect(pairing.messages[2]).toMatchObject({
      isError: true,
      content: [{ text: 'not executed: its result is missing' }],
    });
  });

  it('drops a result without a call, and the second of two', () => {
    const pairing = pair(result('x'), user, asks('a'), result('a'), result('a'));
    expect(outline(pairing.messages)).toEqual(['user', 'assistant', 'tool a']);
    expect(pairing.dropped).toEqual(['x', 'a']);
  });

  it('brings results that were torn away back to their calls, in call order', () => {
    const pairing = pair(asks('a', 'b'), user, result('b'), result('a'));
    expect(outline(pairing.messages)).toEqual(['assistant', 'tool a', 'tool b', 'user']);
    expect([pairing.answered, pairing.dropped]).toEqual([[], []]);
  });

  it('makes any history valid, and does nothing the second time', () => {
    const part = fc.oneof(
      fc.constant(user),
      fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 }).map((ids) => asks(...ids)),
      fc.constantFrom('a', 'b', 'c', 'x').map(result),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (messages) => {
        const once = pair(...messages).messages;
        expect(pairCalls(once, () => 'y').messages).toBe(once);
        expect(once.filter((message) => message.role === 'user')).toHaveLength(
          messages.filter((message) => message === user).length,
        );
      }),
    );
  });

  it('says which calls of a turn are open', () => {
    expect(openCalls(complete([asks('a', 'b'), result('b')]))).toEqual([{ callId: 'a', name: 'look' }]);
    expect(openCalls([])).toEqual([]);
  });
});

describe('a history that a plugin has broken', () => {
  it('reaches the model repaired, and the repair is said', async () => {
    const model = scriptedModel([{ text: 'Done.' }]);
    const tearing = definePlugin({
      name: 'tearing',
      wrapModelCall: (request, next) =>
        next({ ...request, messages: [...request.messages, ...complete([asks('a')])] }),
    })();
    await using agent = await createAgent({ model, log: 'silent', plugins: [tearing] });
    const { events } = await collectEvents(agent.stream('hello'));
    expect(outline(model.requests[0]?.messages ?? [])).toEqual(['user', 'assistant', 'tool a']);
    expect(events.find((event) => event.type === 'warning')).toMatchObject({ code: 'MESSAGES_REPAIRED' });
  });

  it('is repaired in the session too, when beforeModel broke it', async () => {
    const model = scriptedModel([{ text: 'Done.' }]);
    const tearing = definePlugin({
      name: 'tearing',
      beforeModel: (request) => ({
        ...request,
        messages: [...complete([result('x')]), ...request.messages],
      }),
    })();
    await using agent = await createAgent({ model, log: 'silent', plugins: [tearing] });
    const { messages } = await agent.run('hello');
    expect(outline(messages)).toEqual(['user', 'assistant']);
  });
});
