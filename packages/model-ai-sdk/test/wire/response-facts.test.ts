import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createAgent } from '@shallot/core';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';

import { aiSdkModel } from '../../src/index.ts';
import type { Harm } from './wire-server.ts';
import { startWire } from './wire-server.ts';

const wire = await startWire();
afterAll(() => wire[Symbol.asyncDispose]());
beforeEach(() => wire.reset());

const apiKey = 'sk-wire-0123456789abcdef';
const limits = {
  'x-ratelimit-limit-requests': '500',
  'x-ratelimit-remaining-requests': '20',
  'anthropic-ratelimit-requests-limit': '500',
  'anthropic-ratelimit-requests-remaining': '20',
  'set-cookie': `session=${apiKey}`,
};

const answering =
  (rewrite: (body: string) => string): Harm =>
  async (response, answer) => {
    const { status, headers, body } = await answer();
    response.writeHead(status, { ...headers, ...limits });
    response.end(rewrite(body.toString('utf8')));
  };

describe.each(['run', 'stream'] as const)('%s', (mode) => {
  it.each([
    [
      'OpenAI',
      () => createOpenAI({ baseURL: `${wire.url}/v1`, apiKey }).responses('gpt-5'),
      (body: string) => body.replaceAll('"object":"response"', '"object":"response","service_tier":"flex"'),
      'flex',
    ],
    [
      'Anthropic',
      () => createAnthropic({ baseURL: `${wire.url}/v1`, apiKey })('claude-sonnet-4-5'),
      (body: string) => body.replaceAll('"input_tokens"', '"service_tier":"priority","input_tokens"'),
      'priority',
    ],
  ])('%s: its facts are in the result, its headers are not', async (_, make, rewrite, serviceTier) => {
    wire.answer({ text: 'Calm.', harm: answering(rewrite) });
    await using agent = await createAgent({ model: aiSdkModel(make()), log: 'silent' });
    const result = mode === 'run' ? await agent.run('Well?') : await agent.stream('Well?').result;
    expect(result.response).toMatchObject({
      id: expect.any(String) as string,
      serviceTier,
      rateLimits: { requests: { limit: 500, remaining: 20 } },
    });
    expect(JSON.stringify(result.response)).not.toContain(apiKey);
  });
});

it('Anthropic: what is cached for an hour is counted apart', async () => {
  const usage =
    '"usage":{"input_tokens":30,"cache_read_input_tokens":0,"cache_creation_input_tokens":50,"cache_creation":{"ephemeral_5m_input_tokens":10,"ephemeral_1h_input_tokens":40},"output_tokens":20}';
  wire.answer({
    text: 'Calm.',
    harm: answering((body) => body.replace(/"usage":\{[^{}]*\}/, usage)),
  });
  const model = aiSdkModel(createAnthropic({ baseURL: `${wire.url}/v1`, apiKey })('claude-sonnet-4-5'));
  await using agent = await createAgent({
    model,
    prices: { 'anthropic/*': { input: 10_000, output: 0, cacheWrite: 12_500 } },
    log: 'silent',
  });
  const { usage: used } = await agent.run('Well?');
  expect(used).toMatchObject({ input: 80, cacheWrite: 50, cacheWrite1h: 40 });
  expect(used.cost).toBeCloseTo(0.3 + 0.125 + 0.8, 9);
});
