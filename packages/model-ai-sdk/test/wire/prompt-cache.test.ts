import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGateway } from '@ai-sdk/gateway';
import { createVertexAnthropic } from '@ai-sdk/google-vertex/anthropic';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { createAgent, definePlugin, defineTool, type Agent } from '@shallot/core';
import type { CacheMarks } from '@shallot/core/model';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import { aiSdkModel } from '../../src/index.ts';
import { wireProviders } from './wire-providers.ts';
import { startWire } from './wire-server.ts';

const wire = await startWire();
afterAll(() => wire[Symbol.asyncDispose]());
beforeEach(() => wire.reset());

const apiKey = 'sk-wire-0123456789abcdef';
const look = (name: string): ReturnType<typeof defineTool> =>
  defineTool({ name, description: 'Looks.', input: { type: 'object' }, execute: () => 'calm' });
const anthropicMark = '"cache_control":{"type":"ephemeral","ttl":"1h"}';

/** Providers with marks, and what of a request they stand behind. */
const marking = [
  {
    name: 'anthropic',
    make: () => createAnthropic({ baseURL: `${wire.url}/v1`, apiKey })('claude-sonnet-4-5'),
    mark: anthropicMark,
    onTools: true,
  },
  {
    name: 'openrouter',
    make: () => createOpenRouter({ baseURL: `${wire.url}/v1`, apiKey })('anthropic/claude-sonnet-5'),
    mark: anthropicMark,
    onTools: false,
  },
  {
    name: 'amazon-bedrock',
    make: () =>
      createAmazonBedrock({ baseURL: wire.url, region: 'eu-central-1', apiKey })(
        'anthropic.claude-sonnet-4-5-v1:0',
      ),
    mark: '{"cachePoint":{"type":"default","ttl":"1h"}}',
    onTools: false,
  },
];

describe.each(marking)('$name', ({ make, mark, onTools }) => {
  it('is never sent more marks than it accepts: the last messages keep theirs', async () => {
    wire.answer({ text: 'Calm.' });
    const agent = await open(aiSdkModel(make()), (messages) => ({
      tools: true,
      instructions: true,
      messages: messages.map(({ id }) => id),
      ttl: '1h',
    }));
    const said = Array.from(
      { length: 6 },
      (_, index) => ({ role: 'user', content: `Hive ${index}` }) as const,
    );
    expect((await agent.run(said)).text).toBe('Calm.');
    const [sent = ''] = wire.requests.map(({ text }) => text);
    expect(sent.split(mark).length - 1).toBe(4);
    expect(sent.slice(sent.indexOf('Hive 5'))).toContain(mark);
    expect(sent.slice(sent.indexOf('Hive 0'), sent.indexOf('Hive 2'))).not.toContain(mark);
  });

  it('is sent marks on tools, instructions, messages and results, and no more than four', async () => {
    const toolCalls = [
      { id: 'call_1', name: 'a', args: '{}' },
      { id: 'call_2', name: 'b', args: '{}' },
    ];
    wire.answer({ toolCalls }, { text: 'Calm.' });
    const model = aiSdkModel(make());
    expect(model.cacheMarks).toBe(4);
    const agent = await open(model, (messages) => ({
      tools: true,
      instructions: true,
      messages: messages.flatMap(({ id, role }, index) =>
        index === messages.length - 1 || role === 'user' ? [id] : [],
      ),
      ttl: '1h',
    }));
    expect((await agent.run('Look.')).text).toBe('Calm.');
    const sent = wire.requests.map(({ text }) => text);
    expect(sent.map((text) => text.split(mark).length - 1)).toEqual(onTools ? [3, 4] : [2, 3]);
    const [system, last] = [sent[1]?.indexOf('You know bees.') ?? -1, sent[1]?.lastIndexOf('calm') ?? -1];
    // The marked part stands before the mark.
    expect(sent[1]?.slice(system, system + 150)).toContain(mark);
    expect(sent[1]?.slice(last, last + 150)).toContain(mark);
  });
});

it('the gateway is asked to cache by itself', async () => {
  wire.answer({ text: 'Calm.' });
  const model = aiSdkModel(
    createGateway({ baseURL: `${wire.url}/v4/ai`, apiKey })('anthropic/claude-sonnet-5'),
  );
  const agent = await open(model, () => ({ instructions: true }));
  await agent.run('Look.');
  expect(wire.requests[0]?.text).toContain('"gateway":{"caching":"auto"}');
});

it.each(wireProviders.filter(({ name }) => !/anthropic|bedrock/.test(name)))(
  '$name has no marks, and is sent none',
  async ({ make }) => {
    wire.answer({ text: 'Calm.' });
    const model = aiSdkModel(make(wire.url));
    expect(model.cacheMarks).toBe(0);
    const agent = await open(model, (messages) => ({
      tools: true,
      instructions: true,
      messages: messages.map(({ id }) => id),
    }));
    await agent.run('Look.');
    expect(wire.requests[0]?.text).not.toMatch(/cache/i);
  },
);

it('models of Anthropic on Vertex AI take them, too', () => {
  const vertex = createVertexAnthropic({ baseURL: wire.url, project: 'p', location: 'l' });
  expect(aiSdkModel(vertex('claude-sonnet-4-5')).cacheMarks).toBe(4);
});

it('models of Bedrock that would refuse marks are sent none', () => {
  const bedrock = createAmazonBedrock({ baseURL: wire.url, region: 'eu-central-1', apiKey });
  expect(aiSdkModel(bedrock('meta.llama3-1-70b-instruct-v1:0')).cacheMarks).toBe(0);
  expect(aiSdkModel(bedrock('amazon.nova-pro-v1:0')).cacheMarks).toBe(4);
});

async function open(
  model: ReturnType<typeof aiSdkModel>,
  marks: (messages: readonly { readonly id: string; readonly role: string }[]) => CacheMarks,
): Promise<Agent> {
  const marker = definePlugin({
    name: 'marker',
    wrapModelCall: (request, next) => next({ ...request, cache: marks(request.messages) }),
  });
  const agent = await createAgent({
    model,
    instructions: 'You know bees.',
    tools: [look('a'), look('b')],
    plugins: [marker()],
    log: 'silent',
  });
  onTestFinished(() => agent.close());
  return agent;
}
