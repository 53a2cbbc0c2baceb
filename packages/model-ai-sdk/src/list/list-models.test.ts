import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, it, onTestFinished } from 'vitest';

import { listModels, listProviders, type ListedModels } from '../list.ts';

const from = import.meta.dirname;
const key = 'sk-list-0123456789abcdef';

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const json =
  (body: unknown, status = 200): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };

const list = (provider: string, baseURL: string, more = {}): Promise<ListedModels> =>
  listModels(provider, { from, env: {}, entry: { baseURL, apiKey: key }, ...more });

describe("a provider's own list", () => {
  it.each([
    [
      'openai',
      { data: [{ id: 'gpt-4o', object: 'model' }, { id: 'text-embedding-3-small' }, { id: '' }, 7] },
      [{ model: 'gpt-4o', contextTokens: 128_000, price: { input: 2.5, output: 10 } }],
    ],
    [
      'google',
      {
        models: [
          {
            name: 'models/gemini-9',
            inputTokenLimit: 1_048_576,
            outputTokenLimit: 65_536,
            supportedGenerationMethods: ['generateContent'],
          },
          { name: 'models/embedding-001', supportedGenerationMethods: ['embedContent'] },
        ],
      },
      [{ model: 'gemini-9', contextTokens: 1_048_576, outputTokens: 65_536 }],
    ],
    [
      'openrouter',
      {
        data: [
          {
            id: 'acme/large',
            context_length: 131_072,
            architecture: { input_modalities: ['text', 'image'] },
            pricing: { prompt: '0.000003', completion: '0.000015' },
            top_provider: { max_completion_tokens: 8192 },
            supported_parameters: ['tools', 'reasoning', 'structured_outputs'],
          },
        ],
      },
      [
        {
          model: 'acme/large',
          contextTokens: 131_072,
          outputTokens: 8192,
          price: { input: 3, output: 15 },
          abilities: ['tools', 'images', 'reasoning', 'output'],
        },
      ],
    ],
    [
      'togetherai',
      [
        { id: 'acme/chat', type: 'chat', context_length: 32_768, pricing: { input: 0.2, output: 0.6 } },
        { id: 'acme/paint', type: 'image' },
      ],
      [{ model: 'acme/chat', contextTokens: 32_768, price: { input: 0.2, output: 0.6 } }],
    ],
    [
      'mistral',
      {
        data: [
          { id: 'm-1', max_context_length: 131_072, capabilities: { function_calling: true, vision: false } },
        ],
      },
      [{ model: 'm-1', contextTokens: 131_072, abilities: ['tools'] }],
    ],
    [
      'openai-compatible',
      { data: [{ id: 'qwen3', max_model_len: 8192 }] },
      [{ model: 'qwen3', contextTokens: 8192 }],
    ],
  ])('of %s is read', async (provider, body, models) => {
    const url = await serving(json(body));
    expect(await list(provider, url)).toEqual({ provider, source: 'provider', models, isCut: false });
  });

  it('is read page by page, with the key in its place', async () => {
    const asked: string[] = [];
    const url = await serving((request, response) => {
      asked.push(
        `${request.url} ${String(request.headers['x-api-key'])} ${String(request.headers.authorization)}`,
      );
      const isFirst = asked.length === 1;
      json({ data: [{ id: isFirst ? 'claude-a' : 'claude-b' }], has_more: isFirst, last_id: 'claude-a' })(
        request,
        response,
      );
    });
    expect((await list('anthropic', url)).models.map(({ model }) => model)).toEqual(['claude-a', 'claude-b']);
    expect(asked).toEqual([
      `/v1/models?limit=1000 ${key} undefined`,
      `/v1/models?limit=1000&after_id=claude-a ${key} undefined`,
    ]);
  });

  it('is left where a page leads to itself, and where it has too many models', async () => {
    const circle = await serving(json({ data: [{ id: 'a' }], has_more: true, last_id: 'a' }));
    expect(await list('anthropic', circle)).toMatchObject({ models: [{ model: 'a' }], isCut: false });
    const data = Array.from({ length: 6000 }, (_, index) => ({ id: `m${index}` }));
    const long = await list('openai', await serving(json({ data })));
    expect(long.models).toHaveLength(5000);
    expect(long.isCut).toBe(true);
  });
});

describe('the tables take the place of a list', () => {
  it.each<[string, RequestListener, string]>([
    ['empty', json({ data: [] }), 'openai answered with a list without models.'],
    ['no list', json({ hello: 'there' }), 'The answer is not a list of models'],
    ['no JSON', (_, response) => void response.end('<html>'), 'The answer is not a list of models'],
    [
      'refused, with the key in the answer',
      json({ error: { message: `Incorrect API key provided: ${key}.` } }, 401),
      'Incorrect API key provided',
    ],
    [
      'at another address',
      (_, response) => void response.writeHead(302, { location: 'https://example.com' }).end(),
      'The server redirects to another address',
    ],
    [
      'longer than 8 MiB',
      (_, response) => void response.end(`{"data":["${'x'.repeat(9 * 1024 * 1024)}"]}`),
      'The list is longer than 8 MiB',
    ],
    ['broken off', (_, response) => void response.write('{"data":[', () => response.destroy()), ''],
  ])('that is %s', async (_, listener, reason) => {
    const listed = await list('openai', await serving(listener));
    expect(listed.source).toBe('tables');
    expect(listed.reason).toContain(reason);
    expect(listed.reason).not.toContain(key);
    expect(listed.models.find(({ model }) => model === 'gpt-4o')).toMatchObject({ price: { input: 2.5 } });
    expect(listed.models.filter(({ model }) => /embed|whisper|tts|realtime|moderation/.test(model))).toEqual(
      [],
    );
  });

  it('that does not come in time, or that nobody can ask for', async () => {
    const url = await serving(() => {});
    expect((await list('openai', url, { timeoutMs: 20 })).reason).toBe(
      'openai did not list its models within 0.02 seconds.',
    );
    expect((await listModels('openai', { from, env: {} })).reason).toContain('OPENAI_API_KEY');
    expect((await listModels('azure', { from, env: {} })).reason).toContain('has no list');
    expect((await listModels('openai-compatible', { from, env: {} })).reason).toContain('needs a baseURL');
  });
});

it('an aborted request is over at once, and an unknown provider is an error', async () => {
  const controller = new AbortController();
  const url = await serving(() => controller.abort(new Error('enough')));
  await expect(list('openai', url, { signal: controller.signal })).rejects.toThrow('enough');
  await expect(listModels('opena', { from })).rejects.toThrow('Did you mean "openai"?');
});

it('providers are listed with what they miss', () => {
  const listed = listProviders({ ANTHROPIC_API_KEY: key, AWS_BEARER_TOKEN_BEDROCK: key });
  const of = (name: string) => listed.find(({ provider }) => provider === name);
  expect(of('anthropic')).toEqual({
    provider: 'anthropic',
    package: '@ai-sdk/anthropic',
    key: 'found',
    hasList: true,
  });
  expect(of('openai')).toMatchObject({
    key: 'missing',
    missing: expect.stringContaining('OPENAI_API_KEY') as string,
  });
  expect(of('amazon-bedrock')?.missing).toContain('AWS_REGION');
  expect(of('ollama')?.key).toBe('none');
});
