import { expect, it } from 'vitest';

import { sizeLimitsOf } from './size-limits.ts';

it.each([
  ['anthropic.messages', 'claude-sonnet-4-5', 'Anthropic accepts requests of at most 32 MB', 100],
  ['anthropic.messages', 'claude-opus-5', 'Anthropic accepts requests of at most 32 MB', 600],
  ['vertex.anthropic.messages', 'claude-sonnet-4-5', 'Vertex AI accepts requests of at most 30 MB', 100],
  ['amazon-bedrock', 'eu.anthropic.claude-sonnet-4-5-v1:0', 'Bedrock accepts requests of at most 20 MB', 20],
  ['amazon-bedrock', 'amazon.nova-pro-v1:0', undefined, 20],
  ['google.generative-ai', 'gemini-3-flash', 'Gemini accepts requests of at most 100 MB', undefined],
  ['openai.responses', 'gpt-5', undefined, 1500],
  ['openai.chat', 'ft:gpt-4.1:acme::1', undefined, 1500],
  ['azure.responses', 'my-deployment', undefined, 1500],
] as const)('%s, %s: the limits of the vendor', (provider, modelId, request, images) => {
  const limits = sizeLimitsOf({ provider, modelId });
  expect(limits.request?.words).toBe(request);
  expect(
    limits.files.find(({ of, unit }) => of.test('image/png') && !of.test('text/csv') && unit === 'files')
      ?.most,
  ).toBe(images);
});

it.each([
  ['openai.chat', 'my-model'],
  ['openai.responses', 'gpt-oss-120b'],
  ['anthropic.messages', 'kimi-k2'],
  ['google.vertex.chat', 'gemini-3-flash'],
  ['google.generative-ai', 'gemma-3'],
  ['local.chat', 'gpt-5'],
  ['mistral.chat', 'mistral-large-latest'],
])('%s, %s: no limits, because another server decides', (provider, modelId) => {
  expect(sizeLimitsOf({ provider, modelId })).toEqual({ files: [] });
});
