import { createAgent, memoryStore, textOf, type Message } from '@shallot/core';
import { textPart } from '@shallot/core/plugin';
import { scriptedModel } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import redaction from './index.ts';

const sentence = 'The second frame holds 12 eggs, see notes/2026-05-01 and frame-7 at 10:30. ';

/** A session as a store loads it; one message in the middle has a value that was stored before the plugin was there. */
function history(count: number, length: number): Message[] {
  return Array.from({ length: count }, (_, index) => {
    const text = index === count / 2 ? 'Write to anna@example.org.' : sentence.repeat(length);
    const role = index % 2 === 0 ? ('user' as const) : ('assistant' as const);
    return Object.freeze({ id: `m${index}`, role, content: [textPart(text)] });
  });
}

async function agentOn(messages: readonly Message[], find: (text: string) => [] = () => []) {
  const store = memoryStore();
  await store.commit('s', 0, { append: messages });
  const model = scriptedModel([{ text: 'One.' }, { text: 'Two.' }]);
  const plugins = [redaction({ own: [{ name: 'ticket', find, action: 'redact' }] })];
  return { model, agent: await createAgent({ model, store, plugins, log: 'silent' }) };
}

describe('a long history', () => {
  it('is searched once, and redacted in each request', async () => {
    const searched: string[] = [];
    const { agent, model } = await agentOn(history(200, 1), (text) => {
      searched.push(text);
      return [];
    });
    await using live = agent;
    await live.run('First.', { sessionId: 's' });
    const first = searched.length;
    expect(first).toBeGreaterThan(199);
    await live.run('Second.', { sessionId: 's' });
    expect(searched.length - first).toBeLessThan(20);
    for (const { messages } of model.requests)
      expect(textOf(messages[100] as Message)).toMatch(/^Write to <EMAIL_\w+>\.$/);
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([201, 203]);
  });

  it('lets other work go on while it is searched for the first time', async () => {
    const { agent } = await agentOn(history(2000, 20));
    await using live = agent;
    let turns = 0;
    let isOver = false;
    const next = (): void => {
      turns += 1;
      if (!isOver) setImmediate(next);
    };
    setImmediate(next);
    await live.run('Go.', { sessionId: 's' });
    isOver = true;
    // Three million characters take many times as long as may pass without a turn.
    expect(turns).toBeGreaterThan(5);
  });
});
