import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, it, onTestFinished } from 'vitest';

import { makeProject } from '../../test/project.ts';

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

const config = (baseURL: string, more = ''): string =>
  `model: { provider: openai-compatible, baseURL: "${baseURL}", model: qwen3, apiKey: { $env: MY_KEY } }\n${more}`;

/** A provider package whose models answer, refuse the key, or never come to an end. */
const providerPackage = {
  'node_modules/@ai-sdk/openai-compatible/package.json':
    '{"name":"@ai-sdk/openai-compatible","version":"1.0.0","type":"module","exports":"./index.js"}',
  'node_modules/@ai-sdk/openai-compatible/index.js': `
export const createOpenAICompatible = ({ apiKey }) => ({ languageModel: (modelId) => ({
  specificationVersion: 'v4', provider: 'openai-compatible.chat', modelId,
  async doGenerate({ maxOutputTokens, prompt }) {
    if (modelId === 'refused') throw Object.assign(new Error('Incorrect key ' + apiKey), { statusCode: 401 });
    return {
      content: [{ type: 'text', text: maxOutputTokens + ' ' + prompt[0].content[0].text }],
      finishReason: { unified: 'stop', raw: 'stop' }, warnings: [],
      usage: { inputTokens: { total: 1 }, outputTokens: { total: 2 } },
      response: { id: 'r1', modelId: 'qwen3-8b', headers: { 'x-ratelimit-limit-requests': '5', 'x-ratelimit-remaining-requests': '4' } },
    };
  },
  async doStream() { throw new Error('only whole answers'); },
}) });`,
};

describe('shallot models', () => {
  it('lists providers, those that can be used first, without a config, too', async () => {
    const project = makeProject(providerPackage);
    const { status, stdout } = await project.here(['models'], { env: { OPENAI_API_KEY: key } });
    const lines = stdout.split('\n');
    expect(status).toBe(0);
    expect(lines[0]).toMatch(/^ollama +installed +needs no key$/);
    expect(lines.find((line) => line.startsWith('openai '))).toMatch(
      /^openai +not installed +key found +install @ai-sdk\/openai$/,
    );
    expect(stdout).not.toContain(key);
  });

  it("lists the models of the config's server, with the prices of the config", async () => {
    const url = await serving((request, response) => {
      const isOwn = request.headers.authorization === `Bearer ${key}`;
      response.end(
        JSON.stringify({ data: isOwn ? [{ id: 'qwen3', max_model_len: 8192 }, { id: 'free' }] : [] }),
      );
    });
    const prices =
      'prices:\n  openai-compatible/qwen3: { input: 0.5, output: 2 }\n  openai-compatible/gone: { input: 1, output: 1 }\n';
    const project = makeProject({ 'shallot.config.yaml': config(url, prices) });
    const { status, stdout, stderr } = await project.here(['models', 'openai-compatible'], {
      env: { MY_KEY: key },
    });
    expect([status, stdout]).toEqual([
      0,
      'model                    context  in, out per million  abilities\n' +
        'openai-compatible/qwen3  8,192    $0.50, $2.00\n' +
        'openai-compatible/free\n',
    ]);
    expect(stderr).toBe('prices names openai-compatible/gone, which openai-compatible does not list.\n');
    const { stdout: one } = await project.here(['models', 'openai-compatible/qwen3', '--json'], {
      env: { MY_KEY: key },
    });
    expect(JSON.parse(one)).toMatchObject({
      source: 'provider',
      models: [{ model: 'qwen3', contextTokens: 8192, price: { input: 0.5, output: 2 } }],
    });
  });

  it('says why a list is not the own one of the provider', async () => {
    const url = await serving((_request, response) => {
      response.writeHead(401).end(`{"error":{"message":"Wrong key ${key}."}}`);
    });
    const project = makeProject({ 'shallot.config.yaml': config(url) });
    const ended = await project.here(['models', 'openai-compatible'], { env: { MY_KEY: key } });
    expect(ended).toMatchObject({ status: 0, stdout: '' });
    expect(ended.stderr).toContain('Wrong key');
    expect(ended.stderr).toContain('Install @pydantic/genai-prices');
    expect(ended.stderr).not.toContain(key);
  });

  it('lists although variables that the config names are not set, and says so', async () => {
    const url = await serving((_request, response) => response.end('{"data":[{"id":"qwen3"}]}'));
    const project = makeProject({
      'shallot.config.yaml': `model: { provider: openai, baseURL: "${url}", model: qwen3, apiKey: { $env: MY_KEY } }
plugins:
  - use: resilience
    options: { modelFallback: { models: [{ provider: groq, model: m, apiKey: { $env: OTHER_KEY } }] } }
`,
    });
    const note = 'The environment variable MY_KEY, which the model of the config names, is not set.\n';
    const all = await project.here(['models'], { env: {} });
    expect([all.status, all.stderr]).toEqual([0, note]);
    expect(all.stdout).toContain('model of the config: openai/qwen3');
    const own = await project.here(['models', 'openai'], { env: {} });
    expect(own.status).toBe(0);
    expect(own.stderr).toContain(note);
    expect((await project.here(['models', 'ollama'], { env: { OLLAMA: '1' } })).stderr).not.toContain(
      'MY_KEY',
    );
    const checked = await project.here(['models', '--check'], { env: {} });
    expect(checked.status).toBe(2);
    expect(checked.stderr).toContain('MY_KEY');
    const set = await project.here(['models'], { env: { MY_KEY: key } });
    expect(set.stderr).toBe('');
    expect(set.stdout.split('\n').find((line) => line.startsWith('openai '))).toContain('key found');
  });

  it('refuses a provider that there is not', async () => {
    const { status, stderr } = await makeProject({}).here(['models', 'opena']);
    expect(status).toBe(2);
    expect(stderr).toContain('Did you mean "openai"?');
  });
});

describe('shallot models --check', () => {
  const files = { ...providerPackage, 'shallot.config.yaml': config('http://127.0.0.1:9/v1') };

  it('sends the smallest request to the model of the config', async () => {
    const { status, stdout } = await makeProject(files).here(['models', '--check'], { env: { MY_KEY: key } });
    expect(status).toBe(0);
    expect(stdout.replace(/\d\.\d s/, '0.0 s')).toBe(
      '✓ openai-compatible/qwen3: "16 Hi"\n  0.0 s, 3 tokens, answered by qwen3-8b, 4 of 5 requests left\n',
    );
  });

  it('shows the error of the provider, without the key, and fails', async () => {
    const args = ['models', 'openai-compatible/refused', '--check'];
    const project = makeProject(files);
    const { status, stdout } = await project.here(args, { env: { MY_KEY: key } });
    expect(status).toBe(1);
    expect(stdout).toContain('MODEL_AUTH');
    expect(stdout).not.toContain(key);
    expect(stdout).not.toContain('thrown at');
    const printed = JSON.parse(
      (await project.here([...args, '--json'], { env: { MY_KEY: key } })).stdout,
    ) as object;
    expect(printed).toMatchObject({ isUsable: false, error: { code: 'MODEL_AUTH' } });
  });

  it('names the key that is missing, and asks for a model where none is named', async () => {
    const project = makeProject({
      ...providerPackage,
      'node_modules/@ai-sdk/openai/package.json':
        '{"name":"@ai-sdk/openai","version":"1.0.0","type":"module","exports":"./index.js"}',
      'node_modules/@ai-sdk/openai/index.js': 'export const createOpenAI = () => {};',
    });
    const { status, stdout } = await project.here(['models', 'openai/gpt-5', '--check'], { env: {} });
    expect(status).toBe(1);
    expect(stdout).toContain('OPENAI_API_KEY');
    const unnamed = await project.here(['models', 'openai', '--check'], { env: {} });
    expect(unnamed.status).toBe(2);
    expect(unnamed.stderr).toContain('shallot models openai/MODEL --check');
    expect((await project.here(['models', '--check'], { env: {} })).status).toBe(2);
  });
});
