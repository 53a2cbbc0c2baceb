import { createAgent, type JsonObject, type RunOptions } from '@shallot/core';
import type { FinishReason } from '@shallot/core/model';
import { textPart } from '@shallot/core/plugin';
import { afterEach, expect, it } from 'vitest';

import { registerTracing, unregister } from '../../test/tracing.ts';
import telemetry from '../index.ts';

afterEach(unregister);

/** The attributes of a model call. */
async function attributesOf({
  id = 'acme/soup',
  finish = 'stop',
  metadata,
  ...options
}: RunOptions & { id?: string; finish?: FinishReason; metadata?: JsonObject }): Promise<object> {
  using tracing = registerTracing();
  const agent = await createAgent({
    model: {
      id,
      generate: async () => ({
        message: { role: 'assistant', content: [textPart('{}')] },
        finish,
        ...(metadata !== undefined && { metadata }),
      }),
    },
    plugins: [telemetry()],
  });
  await agent.run('Hello', options).catch(() => {});
  await agent.close();
  return tracing.spans().find(({ name }) => name.startsWith('chat'))?.attributes ?? {};
}

it('the span of a model call says which answer it was, and which model gave it', async () => {
  const attributes = await attributesOf({ metadata: { id: 'resp_1', model: 'soup-2026-11-01', more: 1 } });
  expect(attributes).toMatchObject({
    'gen_ai.request.model': 'soup',
    'gen_ai.response.id': 'resp_1',
    'gen_ai.response.model': 'soup-2026-11-01',
  });
  const odd = await attributesOf({ metadata: { id: 1, model: null } });
  expect(odd).not.toHaveProperty(['gen_ai.response.id']);
  expect(odd).not.toHaveProperty(['gen_ai.response.model']);
});

it('the span of a model call says how the answer was asked for', async () => {
  const settings = { presencePenalty: 0.1, frequencyPenalty: 0.2 };
  expect(await attributesOf({ settings, output: { type: 'object' } })).toMatchObject({
    'gen_ai.request.presence_penalty': 0.1,
    'gen_ai.request.frequency_penalty': 0.2,
    'gen_ai.output.type': 'json',
  });
});

it.each([
  ['openai/gpt', 'openai', 'gpt'],
  ['google/gemini', 'gcp.gemini', 'gemini'],
  ['google-vertex/gemini', 'gcp.vertex_ai', 'gemini'],
  ['bedrock/nova', 'aws.bedrock', 'nova'],
  ['azure/gpt', 'azure.ai.openai', 'gpt'],
  ['mistral/large', 'mistral_ai', 'large'],
  ['xai/grok', 'x_ai', 'grok'],
  ['openrouter/acme/one', 'openrouter', 'acme/one'],
  ['constructor/one', 'constructor', 'one'],
  ['local', '_OTHER', 'local'],
])('the conventions call the provider of %s %s', async (id, provider, model) => {
  expect(await attributesOf({ id })).toMatchObject({
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
  });
});

it.each<readonly [FinishReason, string]>([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content-filter', 'content_filter'],
  ['other', 'other'],
])('the conventions call the end %s %s', async (finish, name) => {
  expect(await attributesOf({ finish })).toMatchObject({ 'gen_ai.response.finish_reasons': [name] });
});
