import { describe, expect, it } from 'vitest';

import { scriptedModel, type ScriptedStep } from '../../testing/src/scripted-model.ts';
import { noting, replacing, tapped } from '../test/input-taps.ts';
import type { InputFunction } from './contract/hooks.ts';
import { textOf } from './contract/messages.ts';
import { defineTool } from './contract/tool.ts';
import { createAgent } from './create-agent.ts';
import { memoryStore } from './sessions/stores/memory-store.ts';
import { answerInterrupts } from './workers/answer-interrupts.ts';

const secret = '4111 1111';

describe('an answer', () => {
  const asking = defineTool({
    name: 'ask',
    description: 'Asks.',
    input: { type: 'object' },
    execute: async (_, { interrupt }) =>
      `You said ${JSON.stringify(await interrupt({ kind: 'question', payload: 'Which?', answer: {} }))}`,
  });
  const steps: readonly ScriptedStep[] = [{ toolCalls: [{ name: 'ask' }] }, { text: 'Done.' }];

  async function answered(fn: InputFunction, given: object): Promise<{ said: string; stored: string }> {
    const { store, noted } = noting();
    const model = scriptedModel(steps);
    await using agent = await createAgent({
      model,
      store,
      log: 'silent',
      tools: [asking],
      plugins: [tapped(fn)],
    });
    const { interrupts } = await agent.run('Go', { sessionId: 's' });
    const { messages } = await agent.resume('s', { [interrupts[0]?.id ?? '']: given as never });
    return { said: messages.map(textOf).find((text) => text.startsWith('You said')) ?? '', stored: noted() };
  }

  it('passes the taps by its strings and numbers, and keeps its shape', async () => {
    const kinds: string[] = [];
    const { said, stored } = await answered(
      (messages, context) => {
        kinds.push(context.kind);
        return replacing(secret, '****')(messages, context);
      },
      { card: secret, count: 2, more: [secret, true] },
    );
    expect(said).toBe('You said {"card":"****","count":2,"more":["****",true]}');
    expect(stored).not.toContain(secret);
    expect(new Set(kinds)).toEqual(new Set(['input', 'answer']));
  });

  it('stays open when a tap gives it another shape', async () => {
    const fn: InputFunction = (messages, { kind }) =>
      kind === 'answer' ? [...messages, ...messages] : messages;
    await expect(answered(fn, { card: secret })).rejects.toMatchObject({
      code: 'HOOK_RESULT',
      plugin: 'guard',
    });
  });

  it('stays open when a tap refuses it, and nothing of it is stored', async () => {
    const store = memoryStore();
    const guard = tapped((messages, { kind }) => {
      if (kind === 'answer' && messages.some((message) => textOf(message).includes(secret)))
        throw new Error('no card numbers');
      return messages;
    });
    await using agent = await createAgent({
      model: scriptedModel(steps),
      store,
      log: 'silent',
      tools: [asking],
      plugins: [guard],
    });
    const { interrupts } = await agent.run('Go', { sessionId: 's' });
    const id = interrupts[0]?.id ?? '';
    await expect(agent.resume('s', { [id]: secret })).rejects.toMatchObject({ plugin: 'guard' });
    const record = await store.load('s');
    expect(JSON.stringify(record)).not.toContain(secret);
    expect(record?.run).toMatchObject({ status: 'interrupted', interrupts: [{ id }], answers: {} });
    expect(await agent.resume('s', { [id]: 'fine' })).toMatchObject({ outcome: 'completed' });
  });

  it('that was recorded without an agent passes them when the run is taken', async () => {
    const store = memoryStore();
    const model = scriptedModel(steps);
    const plugins = [tapped(replacing(secret, '****'))];
    await using agent = await createAgent({ model, store, log: 'silent', tools: [asking], plugins });
    const { interrupts } = await agent.run('Go', { sessionId: 's' });
    await answerInterrupts(store, 's', { [interrupts[0]?.id ?? '']: secret });
    const { messages } = await agent.resume('s');
    expect(messages.map(textOf)).toContain('You said "****"');
  });
});
