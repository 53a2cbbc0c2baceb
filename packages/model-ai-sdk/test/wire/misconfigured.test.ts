import { isShallotError, type ShallotError } from '@shallot/core';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';

import { html, refuse } from './harms.ts';
import { forgetKeys, makeProject, openAgent, type Project } from './project.ts';
import { providerFacts } from './provider-facts.ts';
import { selfSigned } from './self-signed.ts';
import { startWire } from './wire-server.ts';

const wire = await startWire();
afterAll(() => wire[Symbol.asyncDispose]());
beforeEach(() => {
  wire.reset();
  forgetKeys();
});

const key = 'sk-wire-0123456789abcdef';

describe('what can be wrong with the model of a config', () => {
  const openai = { packages: ['@ai-sdk/openai'] };

  it.each([
    ['no key', undefined, 'No key is set'],
    ['an empty key', '', 'OPENAI_API_KEY is empty'],
    ['a key of spaces', '  ', 'OPENAI_API_KEY is empty'],
  ])('%s', async (_, value, words) => {
    if (value !== undefined) vi.stubEnv('OPENAI_API_KEY', value);
    const project = makeProject('openai/gpt-5', openai);
    const error = await failureOf(openAgent(project));
    expect(error).toMatchObject({ code: 'MODEL_AUTH', at: { file: project.config, line: 2, column: 8 } });
    expect(error.message).toContain(words);
    expect(error.message).toContain('OPENAI_API_KEY');
  });

  it('a wrong key, which is not repeated', async () => {
    const wrong = 'sk-proj-wrong-9876543210abcdef';
    vi.stubEnv('OPENAI_API_KEY', wrong);
    vi.stubEnv('OPENAI_BASE_URL', `${wire.url}/v1`);
    const project = makeProject('openai/gpt-5', openai);
    // The provider repeats it.
    wire.answer({
      harm: refuse(401, {
        body: JSON.stringify({
          error: { message: `Incorrect API key provided: ${wrong}.`, code: 'invalid_api_key' },
        }),
      }),
    });
    const agent = await openAgent(project);
    const stream = agent.stream('Well?', { sessionId: 'one' });
    const events: unknown[] = [];
    const error = await failureOf(
      (async () => {
        for await (const event of stream) events.push(event);
      })(),
    );
    expect(error).toMatchObject({ code: 'MODEL_AUTH', transient: false });
    expect(error.message).toContain('OPENAI_API_KEY');
    const record = await agent.session('one');
    const cause: unknown = error.cause;
    for (const said of [error, error.message, error.stack, error.result, cause, events, record])
      expect(saidIn(said)).not.toContain(wrong);
  });

  it('a wrong key in the config itself', async () => {
    wire.requireKey('the right one');
    const model = {
      provider: 'openai',
      model: 'gpt-5',
      baseURL: `${wire.url}/v1`,
      apiKey: { $env: 'MY_KEY' },
    };
    vi.stubEnv('MY_KEY', key);
    const error = await failureOf((await openAgent(makeProject(model, openai))).run('Well?'));
    expect(error).toMatchObject({ code: 'MODEL_AUTH' });
    expect(saidIn(error)).not.toContain(key);
  });

  it('an unknown model', async () => {
    const project = onLoopback('gpt-55');
    wire.answer({
      harm: refuse(404, {
        body: '{"error":{"message":"The model `gpt-55` does not exist","code":"model_not_found"}}',
      }),
    });
    const error = await failureOf((await openAgent(project)).run('Well?'));
    expect(error).toMatchObject({ code: 'MODEL_BAD_REQUEST', transient: false });
    expect(error.message).toContain('gpt-55');
  });

  it('a wrong base URL', async () => {
    const project = onLoopback('gpt-5');
    wire.answer({ harm: html });
    const error = await failureOf((await openAgent(project)).run('Well?'));
    expect(error).toMatchObject({ code: 'MODEL_RESPONSE' });
    expect(error.message).toContain('baseURL');
    expect(error.message).toContain(wire.url);
  });

  it('a base URL that leads elsewhere, whereto the key is not sent', async () => {
    await using elsewhere = await startWire();
    const project = onLoopback('gpt-5');
    wire.answer({
      harm: refuse(301, { headers: { location: `${elsewhere.url}/v1/responses` }, body: 'Moved' }),
    });
    const error = await failureOf((await openAgent(project)).run('Well?'));
    expect(error).toMatchObject({ code: 'MODEL_BAD_REQUEST', transient: false });
    expect(error.message).toContain('baseURL');
    expect(elsewhere.requests).toHaveLength(0);
  });

  it.each(['localhost:8000', 'ftp://example.com', ''])('a base URL of "%s"', async (baseURL) => {
    vi.stubEnv('OPENAI_API_KEY', key);
    const project = makeProject({ provider: 'openai', model: 'gpt-5', baseURL }, openai);
    const error = await failureOf(openAgent(project));
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', at: { file: project.config, line: 2 } });
    expect(error.message).toContain('baseURL');
  });

  it('a host that nobody listens at', async () => {
    const closed = await startWire();
    await closed[Symbol.asyncDispose]();
    vi.stubEnv('OPENAI_API_KEY', key);
    vi.stubEnv('OPENAI_BASE_URL', `${closed.url}/v1`);
    const error = await failureOf((await openAgent(makeProject('openai/gpt-5', openai))).run('Well?'));
    expect(error).toMatchObject({ code: 'MODEL_NETWORK', transient: true });
    expect(error.message).toContain(closed.url);
  });

  it('a host that does not exist', async () => {
    const model = { provider: 'openai-compatible', model: 'm', baseURL: 'http://no-such-host.invalid/v1' };
    const project = makeProject(model, { packages: ['@ai-sdk/openai-compatible'] });
    const error = await failureOf((await openAgent(project)).run('Well?'));
    expect(error).toMatchObject({ code: 'MODEL_NETWORK' });
    expect(error.message).toContain('no-such-host.invalid');
  });

  it('a certificate that nobody vouches for', async () => {
    await using server = await startWire(selfSigned);
    vi.stubEnv('OPENAI_API_KEY', key);
    const project = makeProject({ provider: 'openai', model: 'gpt-5', baseURL: `${server.url}/v1` }, openai);
    const error = await failureOf((await openAgent(project)).run('Well?'));
    expect(error).toMatchObject({
      code: 'MODEL_NETWORK',
      transient: false,
      at: { file: project.config, line: 2 },
    });
    expect(error.message).toContain('NODE_EXTRA_CA_CERTS');
  });

  it.each([
    ['antropic/claude-sonnet-5', 'anthropic'],
    ['open-ai/gpt-5', 'openai'],
    ['gogle/gemini-3-flash', 'google'],
  ])('a misspelt provider: %s', async (model, meant) => {
    const project = makeProject(model);
    const error = await failureOf(openAgent(project));
    expect(error).toMatchObject({ at: { file: project.config, line: 2, column: 8 } });
    expect(error.message).toContain(`Did you mean "${meant}"?`);
  });

  it('an unknown provider, with those that are known', async () => {
    const error = await failureOf(openAgent(makeProject('zebra/stripes')));
    for (const { provider } of providerFacts) expect(error.message).toContain(provider);
  });

  it('a misspelt key of the entry', async () => {
    const project = makeProject(
      { provider: 'openai', model: 'gpt-5', baseUrl: 'http://localhost/v1' },
      openai,
    );
    const error = await failureOf(openAgent(project));
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', at: { file: project.config, line: 2 } });
    expect(error.message).toContain('baseURL');
  });

  it.each([
    ['npm', 'package-lock.json', 'npm install @ai-sdk/mistral'],
    ['pnpm', 'pnpm-lock.yaml', 'pnpm add @ai-sdk/mistral'],
    ['yarn', 'yarn.lock', 'yarn add @ai-sdk/mistral'],
    ['bun', 'bun.lock', 'bun add @ai-sdk/mistral'],
  ])('a package that is not installed, with %s', async (_, lock, command) => {
    vi.stubEnv('MISTRAL_API_KEY', key);
    const project = makeProject('mistral/mistral-large-latest', { files: { [lock]: '' } });
    const error = await failureOf(openAgent(project));
    expect(error).toMatchObject({
      code: 'MODULE_NOT_FOUND',
      at: { file: project.config, line: 2, column: 8 },
    });
    expect(error.message).toContain(command);
  });

  it.each([
    ['v1', '@ai-sdk/openai@latest'],
    ['v2', 'it has no doGenerate and doStream'],
    ['v5', '@shallot/model-ai-sdk@latest'],
    [undefined, 'aiSdkModel takes a language model'],
  ])('a package of specification %s', async (version, advice) => {
    vi.stubEnv('OPENAI_API_KEY', key);
    const project = makeProject('openai/gpt-5', {
      files: packageFiles(
        '@ai-sdk/openai',
        `specificationVersion: ${JSON.stringify(version)}, provider: 'openai', modelId: 'gpt-5'`,
      ),
    });
    const error = await failureOf(openAgent(project));
    expect(error).toMatchObject({ at: { file: project.config, line: 2, column: 8 } });
    expect(error.message).toContain(advice);
  });

  it('two copies of a package: that of the config is used', async () => {
    vi.stubEnv('OPENAI_API_KEY', key);
    const model = `specificationVersion: 'v3', provider: 'openai.mine', modelId: 'gpt-5', doStream() {}, doGenerate: async () => ({
      content: [{ type: 'text', text: 'mine' }], finishReason: { unified: 'stop', raw: 'stop' }, warnings: [],
      usage: { inputTokens: {}, outputTokens: {} } })`;
    const project = makeProject('openai/gpt-5', { files: packageFiles('@ai-sdk/openai', model) });
    const { text } = await (await openAgent(project)).run('Well?');
    expect(text).toBe('mine');
  });

  function onLoopback(name: string): Project {
    vi.stubEnv('OPENAI_API_KEY', key);
    vi.stubEnv('OPENAI_BASE_URL', `${wire.url}/v1`);
    return makeProject(`openai/${name}`, openai);
  }
});

/** A package in the place of a real one, whose models are this. */
function packageFiles(name: string, model: string): Record<string, string> {
  return {
    [`node_modules/${name}/package.json`]: JSON.stringify({
      name,
      version: '9.9.9',
      type: 'module',
      exports: './index.js',
    }),
    [`node_modules/${name}/index.js`]: `export const createOpenAI = () => () => ({ ${model} });`,
  };
}

async function failureOf(ended: Promise<unknown>): Promise<ShallotError> {
  const error = await ended.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (isShallotError(error)) return error;
  throw error;
}

/** All that can be read of something, what JSON leaves out included. */
function saidIn(value: unknown): string {
  if (!(value instanceof Error)) return JSON.stringify(value) ?? '';
  return `${value.message} ${value.stack} ${JSON.stringify(Object.entries(value))} ${saidIn(value.cause)}`;
}
