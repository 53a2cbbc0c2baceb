import { createAgent, defineTool, memoryStore, type RunResult } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import { afterAll, expect, it } from 'vitest';

import { aiSdkModel } from '../../src/index.ts';
import { rewritten } from './harms.ts';
import { wireProviders } from './wire-providers.ts';
import { startWire, type Answer } from './wire-server.ts';

const wire = await startWire();
afterAll(() => wire[Symbol.asyncDispose]());

const look = defineTool({
  name: 'look',
  description: 'Looks into a hive.',
  input: { type: 'object', properties: { hive: { type: 'number' } } },
  execute: () => 'calm',
});

/** Data that providers put into their answers for themselves; no other provider may see it. */
const signatures = {
  'openai, responses': ['item_reference', '"rs-', '"msg-', '"fc-', 'encrypted-by-openai'],
  anthropic: ['signed-by-anthropic'],
  google: ['signed-by-google'],
} as const;
type Name = keyof typeof signatures;

const answers: Readonly<Record<Name, Answer>> = {
  'openai, responses': {
    harm: rewritten((body) =>
      body.replaceAll(/"encrypted_content":"[^"]*"/g, '"encrypted_content":"encrypted-by-openai"'),
    ),
  },
  anthropic: { signature: 'signed-by-anthropic' },
  google: {
    harm: rewritten((body) =>
      body.replaceAll('"functionCall":', '"thoughtSignature":"signed-by-google","functionCall":'),
    ),
  },
};

it.each(['run', 'stream'] as const)('%s: no provider is told what another has signed', async (mode) => {
  wire.reset();
  const store = memoryStore();
  // Back to the first one at the end: it may see its own again.
  for (const name of ['openai, responses', 'anthropic', 'google', 'openai, responses'] as const) {
    wire.answer(
      {
        reasoning: 'I look first.',
        toolCalls: [{ id: 'call_1', name: 'look', args: '{"hive":1}' }],
        ...answers[name],
      },
      { text: `${name} says calm.`, reasoning: 'It is calm.', ...answers[name] },
    );
    const { text } = await ask(modelOf(name));
    expect(text).toBe(`${name} says calm.`);
  }

  const asked = ['openai, responses', 'anthropic', 'google', 'openai, responses'] as const;
  expect(wire.requests).toHaveLength(8);
  for (const [index, { text }] of wire.requests.entries()) {
    const name = asked[Math.floor(index / 2)] ?? 'google';
    const foreign = Object.entries(signatures).flatMap(([other, marks]) => (other === name ? [] : marks));
    for (const mark of foreign) expect(text, `request ${index} to ${name}`).not.toContain(mark);
  }
  // The text is kept although the signatures are dropped.
  expect(wire.requests.slice(2).every(({ text }) => text.includes('calm'))).toBe(true);
  expect(wire.requests[1]?.text).toContain('encrypted-by-openai');
  expect(wire.requests[3]?.text).toContain('signed-by-anthropic');
  expect(wire.requests[5]?.text).toContain('signed-by-google');

  async function ask(model: ChatModel): Promise<RunResult> {
    const agent = await createAgent({ model, store, tools: [look] });
    const result = await (mode === 'run'
      ? agent.run('How are they?', { sessionId: mode })
      : agent.stream('How are they?', { sessionId: mode }).result);
    await agent.close();
    return result;
  }
});

function modelOf(name: Name): ChatModel {
  const provider = wireProviders.find((each) => each.name === name);
  if (provider === undefined) throw new Error(`no provider ${name}`);
  return aiSdkModel(provider.make(wire.url));
}
