import { type } from 'arktype';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { assertValidRequest } from '../../../../testing/src/assert-valid-request.ts';
import {
  scriptedModel,
  type ScriptedModel,
  type ScriptedStep,
} from '../../../../testing/src/scripted-model.ts';
import type { Agent } from '../../agent.ts';
import { definePlugin } from '../../contract/define-plugin.ts';
import { textOf } from '../../contract/messages.ts';
import type { Plugin } from '../../contract/plugin.ts';
import { defineTool } from '../../contract/tool.ts';
import { createAgent } from '../../create-agent.ts';
import { memoryStore } from '../../sessions/stores/memory-store.ts';
import { sendMessage } from '../../work.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  execute: () => 'an onion',
});
const plant = z.object({ kind: z.string(), layers: z.number().int() });
const right: ScriptedStep = { text: '{"kind":"onion","layers":7}' };
const wrong: ScriptedStep = { text: '{"kind":"onion","layers":"many"}' };

async function agentWith(
  steps: readonly ScriptedStep[],
  plugins: readonly Plugin[] = [],
): Promise<{ readonly model: ScriptedModel; readonly agent: Agent }> {
  const model = scriptedModel(steps);
  return { model, agent: await createAgent({ log: 'silent', model, tools: [look], plugins }) };
}

describe('output', () => {
  it.each([
    ['zod', plant],
    ['arktype', type({ kind: 'string', layers: 'number.integer' })],
    [
      'plain JSON Schema',
      {
        type: 'object',
        properties: { kind: { type: 'string' }, layers: { type: 'integer' } },
        required: ['kind', 'layers'],
      },
    ],
  ])('is the validated answer, and the model is told the shape (%s)', async (_, output) => {
    const { agent, model } = await agentWith([{ toolCalls: [{ name: 'look' }] }, right]);
    const result = await agent.run('hello', { output });
    expect(result.output).toEqual({ kind: 'onion', layers: 7 });
    expect(result.text).toBe('{"kind":"onion","layers":7}');
    expect(model.requests.map((request) => request.output?.schema)).toMatchObject([
      { type: 'object', required: ['kind', 'layers'] },
      { type: 'object', required: ['kind', 'layers'] },
    ]);
  });

  it("is the schema's own output, not what the model wrote", async () => {
    const { agent } = await agentWith([{ text: '{"on":"2026-11-21"}' }]);
    const output = z.object({
      on: z.iso.date().transform((text) => new Date(text)),
      at: z.string().default('noon'),
    });
    const result = await agent.run('hello', { output });
    expect(result.output?.on.getUTCFullYear()).toBe(2026);
    expect(result.output?.at).toBe('noon');
  });

  it('may stand in a Markdown fence', async () => {
    const { agent } = await agentWith([{ text: '```json\n{"kind":"onion","layers":7}\n```' }]);
    expect((await agent.run('hello', { output: plant })).output).toEqual({ kind: 'onion', layers: 7 });
  });

  it('that is wrong is told to the model once, with the issues', async () => {
    const { agent, model } = await agentWith([wrong, right]);
    const result = await agent.run('hello', { output: plant });
    expect(result).toMatchObject({ output: { layers: 7 }, steps: 2 });
    expect(result.messages.map(({ role, source }) => [role, source])).toEqual([
      ['user', undefined],
      ['assistant', undefined],
      ['user', 'output'],
      ['assistant', undefined],
    ]);
    const told = model.requests[1]?.messages.at(-1);
    expect(told && textOf(told)).toMatch(/layers: .*number/);
  });

  it.each([
    ['wrong again', [wrong, wrong]],
    ['not JSON at all', [{ text: 'It is an onion.' }, { text: 'Really, it is.' }]],
    ['wrong again after a tool call', [wrong, { toolCalls: [{ name: 'look' }] }, wrong, right]],
  ] as const)('that is %s makes the run fail with OUTPUT_INVALID', async (_, steps) => {
    const { agent, model } = await agentWith(steps);
    const run = agent.run('hello', { output: plant, sessionId: 's' });
    await expect(run).rejects.toMatchObject({ code: 'OUTPUT_INVALID', result: { outcome: 'failed' } });
    const messages = (await agent.session('s'))?.messages ?? [];
    assertValidRequest({ model, instructions: '', settings: {}, messages });
  });

  it('is told once also when a plugin adds messages of its own to each step', async () => {
    const reminding = definePlugin({
      name: 'reminding',
      beforeModel: (request) => ({
        ...request,
        messages: [
          ...request.messages,
          {
            id: crypto.randomUUID(),
            role: 'user' as const,
            content: [{ type: 'text' as const, text: 'Mind the time.' }],
          },
        ],
      }),
    })();
    const { agent } = await agentWith([wrong, wrong, wrong, wrong], [reminding]);
    await expect(agent.run('hello', { output: plant })).rejects.toMatchObject({ code: 'OUTPUT_INVALID' });
  });

  it('counts anew in the next run', async () => {
    const { agent } = await agentWith([wrong, right, wrong, right]);
    await agent.run('hello', { output: plant, sessionId: 's' });
    expect((await agent.run('again', { output: plant, sessionId: 's' })).output).toEqual({
      kind: 'onion',
      layers: 7,
    });
  });

  it('is absent when the run was ended otherwise, and when nobody asked', async () => {
    const ending = definePlugin({ name: 'ending', beforeModel: (_, run) => run.end('enough') })();
    const { agent } = await agentWith([], [ending]);
    expect(await agent.run('hello', { output: plant })).not.toHaveProperty('output');
    const plain = await agentWith([right]);
    expect(await plain.agent.run('hello')).not.toHaveProperty('output');
  });

  it('is absent when the run went on after an answer, and ended otherwise', async () => {
    const store = memoryStore();
    const answering = async (): Promise<ScriptedStep> => {
      await sendMessage(store, 's', 'wait');
      return right;
    };
    const model = scriptedModel([answering, { toolCalls: [{ name: 'tell' }] }]);
    const tell = defineTool({
      name: 'tell',
      description: 'Tells.',
      input: { type: 'object' },
      returnDirectly: true,
      execute: () => 'an onion',
    });
    await using agent = await createAgent({ log: 'silent', model, store, tools: [tell] });
    const result = await agent.run('hello', { sessionId: 's', output: plant });
    expect(result).toMatchObject({ stopReason: 'return-directly', text: 'an onion' });
    expect(result).not.toHaveProperty('output');
  });

  it('is asked for also after an interrupt, by what was stored', async () => {
    const ask = defineTool({
      name: 'ask',
      description: 'Asks.',
      input: { type: 'object' },
      execute: (__, context) => context.interrupt({ kind: 'q', payload: 1, answer: { type: 'string' } }),
    });
    const store = memoryStore();
    const before = await createAgent({
      model: scriptedModel([{ toolCalls: [{ name: 'ask' }] }]),
      store,
      tools: [ask],
    });
    const paused = await before.run('hello', { sessionId: 's', output: plant });
    const model = scriptedModel([wrong, right]);
    const after = await createAgent({ model, store, tools: [ask] });
    const result = await after.resume('s', { [paused.interrupts[0]?.id ?? '']: 'yes' });
    expect(result.output).toEqual({ kind: 'onion', layers: 7 });
    expect(model.requests[0]?.output?.schema).toMatchObject({ required: ['kind', 'layers'] });
  });

  it('needs a schema that can be written as JSON Schema', async () => {
    const { agent } = await agentWith([]);
    await expect(agent.run('hello', { output: z.object({ at: z.date() }) })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
    // The session was not touched.
    await expect(agent.run('hello', { output: z.date(), sessionId: 's' })).rejects.toThrow('the output');
    expect(await agent.session('s')).toBeUndefined();
  });
});
