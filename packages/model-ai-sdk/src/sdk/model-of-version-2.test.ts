import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2StreamPart,
} from '@ai-sdk/provider';
import { createAgent, defineTool } from '@shallot/core';
import { expect, it } from 'vitest';

import { ask, failureOf } from '../../test/ask.ts';
import { aiSdkModel } from '../ai-sdk-model.ts';

const picture = 'iVBORw0KGgo=';

function modelOf(
  answers: readonly (readonly LanguageModelV2StreamPart[])[],
): LanguageModelV2 & { readonly calls: LanguageModelV2CallOptions[] } {
  const calls: LanguageModelV2CallOptions[] = [];
  return {
    specificationVersion: 'v2',
    provider: 'acme.chat',
    modelId: 'm',
    supportedUrls: {},
    calls,
    doGenerate: () => Promise.reject(new Error('only streams')),
    async doStream(options) {
      const parts = answers[calls.push(options) - 1] ?? [];
      return { stream: ReadableStream.from<LanguageModelV2StreamPart>(parts) };
    },
  };
}

const end = (finishReason: 'stop' | 'tool-calls' | 'unknown'): LanguageModelV2StreamPart => ({
  type: 'finish',
  finishReason,
  usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15, cachedInputTokens: 4, reasoningTokens: 2 },
});
const said: LanguageModelV2StreamPart[] = [
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: 'Calm.' },
  { type: 'text-end', id: '1' },
];

it('results with files, and tools of the provider, are written as version 2 knows them', async () => {
  const model = modelOf([
    [{ type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: '{}' }, end('tool-calls')],
    [...said, end('stop')],
  ]);
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    execute: () => ({
      content: [
        { type: 'text', text: 'a dot' },
        { type: 'file', mediaType: 'image/png', data: picture },
        { type: 'file', mediaType: 'image/png', url: 'https://example.com/dot.png' },
      ],
    }),
  });
  const tools = [look];
  await using agent = await createAgent({
    model: aiSdkModel({ ...model, provider: 'anthropic.messages' }),
    tools,
    providerTools: [{ id: 'anthropic.web_search_20250305' }],
    log: 'silent',
  });
  expect((await agent.stream('Well?').result).text).toBe('Calm.');
  expect(model.calls[1]?.tools?.map(({ type }) => type)).toEqual(['provider-defined', 'function']);
  expect(model.calls[1]?.prompt.at(-1)?.content).toMatchObject([
    {
      output: {
        type: 'content',
        value: [
          { type: 'text', text: 'a dot' },
          { type: 'media', mediaType: 'image/png', data: picture },
          { type: 'text', text: 'https://example.com/dot.png' },
        ],
      },
    },
  ]);
});

it('usage and warnings are those of the newer versions', async () => {
  const warnings = [
    { type: 'unsupported-setting', setting: 'topK', details: 'not with this model' },
    { type: 'other', message: 'Take care.' },
  ] as const;
  const model = modelOf([[{ type: 'stream-start', warnings: [...warnings] }, ...said, end('stop')]]);
  const { response, warnings: told } = await ask(aiSdkModel(model));
  expect(response.usage).toEqual({ input: 10, output: 5, total: 15, cacheRead: 4, reasoning: 2 });
  expect(told).toEqual([
    'acme/m: The model does not support topK: not with this model',
    'acme/m: Take care.',
  ]);
});

it('an answer that ends without a reason broke off', async () => {
  const failure = await failureOf(ask(aiSdkModel(modelOf([[...said, end('unknown')]]))));
  expect(failure).toMatchObject({ code: 'MODEL_STREAM_BROKEN' });
});
