import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { isShallotError, type ShallotError, formatError } from '@shallot/core';
import { providerNeeds } from '@shallot/core/command';
import { loadAgent } from '@shallot/core/config';
import type { ChatModel, ProviderModelEntry } from '@shallot/core/model';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { failureOf } from '../test/ask.ts';
import { resolveModel } from './resolve-model.ts';
import { providers } from './sdk/providers.ts';

/** A package whose models say with what they were made; `version` is the one of their interface. */
function providerPackage(
  name: string,
  create: string,
  { version = 'v4', extra = '' } = {},
): Record<string, string> {
  return {
    [`node_modules/${name}/package.json`]: JSON.stringify({
      name,
      version: '1.0.0',
      type: 'module',
      exports: './index.js',
    }),
    [`node_modules/${name}/index.js`]: `
export const made = [];
export const asked = [];
export function ${create}(settings) {
  made.push(settings);
  const model = (method) => (modelId) => (asked.push(method), {
    specificationVersion: '${version}', provider: settings.name ?? 'acme', modelId,
    async doGenerate() { throw Object.assign(new Error('Incorrect key ' + settings.apiKey), { statusCode: 401 }); },
    async doStream() { throw new Error('none'); },
  });
  return Object.assign(() => {}, { languageModel: model('languageModel'), responses: model('responses'), chat: model('chat') });
}
${extra}`,
  };
}

const anthropic = providerPackage('@ai-sdk/anthropic', 'createAnthropic');
const openai = providerPackage('@ai-sdk/openai', 'createOpenAI');
const compatible = providerPackage('@ai-sdk/openai-compatible', 'createOpenAICompatible');
const withoutChat = {
  ...compatible,
  'node_modules/@ai-sdk/openai-compatible/index.js':
    'export const createOpenAICompatible = () => ({ languageModel: () => ({}) });',
};

function makeProject(files: Readonly<Record<string, string>>): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-models-')));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), content);
  }
  return directory;
}

const key = 'key-of-a-test-4711';
const env = { ANTHROPIC_API_KEY: key, OPENAI_API_KEY: key };

interface Made {
  readonly model: ChatModel;
  /** The settings passed to the package's function. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The method of the provider that made the model. */
  readonly asked: string | undefined;
}

async function make(
  named: string | ProviderModelEntry,
  files: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = env,
): Promise<Made> {
  const from = makeProject(files);
  const model = await resolveModel(named, { from, env: environment });
  const name = Object.keys(files).find((file) => file.endsWith('index.js')) ?? '';
  const { made, asked } = (await import(join(from, name))) as {
    made: Record<string, unknown>[];
    asked: string[];
  };
  const { fetch, ...settings } = made.at(-1) ?? {};
  expect(fetch).toBeTypeOf('function');
  return { model, settings, asked: asked.at(-1) };
}

describe('resolveModel', () => {
  it('makes a model of its name, with the key of the environment', async () => {
    const { model, settings } = await make('anthropic/claude-sonnet-5', anthropic);
    expect(model).toMatchObject({ id: 'anthropic/claude-sonnet-5', limits: { contextTokens: 1_000_000 } });
    expect(settings).toEqual({ apiKey: key });
  });

  it('takes a key with a line break after it, as files have it', async () => {
    const { settings } = await make('openai/m', openai, { OPENAI_API_KEY: `${key}\n` });
    expect(settings['apiKey']).toBe(`${key}\n`);
  });

  it('makes a model of an entry', async () => {
    const { model, settings } = await make(
      {
        provider: 'openai',
        model: 'ft:gpt/1',
        baseURL: 'http://localhost:1234/v1',
        apiKey: 'another-key',
        headers: { 'x-team': 'bees' },
        contextTokens: 1000,
        outputTokens: 100,
        options: { organization: 'o' },
      },
      openai,
    );
    expect(model).toMatchObject({
      id: 'openai/ft:gpt/1',
      limits: { contextTokens: 1000, outputTokens: 100 },
    });
    expect(settings).toEqual({
      organization: 'o',
      baseURL: 'http://localhost:1234/v1',
      apiKey: 'another-key',
      headers: { 'x-team': 'bees' },
    });
  });

  it.each([
    ['chat', 'chat'],
    ['responses', 'responses'],
    [undefined, 'languageModel'],
  ] as const)('with the interface %s asks for %s', async (api, method) => {
    const entry = { provider: 'openai', model: 'm', ...(api === undefined ? {} : { api }) };
    expect((await make(entry, openai)).asked).toBe(method);
  });

  it('needs no key for a server of one’s own, and asks it for usage', async () => {
    const entry = { provider: 'openai-compatible', model: 'llama', baseURL: 'http://localhost:1234/v1' };
    expect((await make(entry, compatible, {})).settings).toEqual({
      name: 'openai-compatible',
      includeUsage: true,
      supportsStructuredOutputs: true,
      baseURL: 'http://localhost:1234/v1',
    });
  });

  it('gives models of one name an endpoint each, if they differ in server, key or settings', async () => {
    const entry = { provider: 'openai', model: 'm' };
    const endpointOf = async (more: Partial<ProviderModelEntry>, environment = env) =>
      (await make({ ...entry, ...more }, openai, environment)).model.endpoint;
    const endpoints = await Promise.all([
      endpointOf({}),
      endpointOf({ baseURL: 'http://localhost:1234/v1' }),
      endpointOf({ apiKey: 'another-key' }),
      endpointOf({}, { ...env, OPENAI_API_KEY: 'a key of the environment' }),
      endpointOf({ headers: { 'x-region': 'eu' } }),
      endpointOf({ options: { organization: 'o' } }),
      endpointOf({ api: 'chat' }),
    ]);
    expect(new Set(endpoints).size).toBe(endpoints.length);
    for (const endpoint of endpoints) expect(endpoint).toMatch(/^[\w-]{16}$/);
    // The same settings are the same endpoint, whatever else is said of the model.
    expect(await endpointOf({ contextTokens: 1000 })).toBe(endpoints[0]);
    expect((await make('openai/m', openai)).model.endpoint).toBe(endpoints[0]);
    // Code cannot be compared.
    expect(await endpointOf({ options: { fetch: () => {} } })).toBeUndefined();
  });

  it('finds Ollama where it is', async () => {
    const { model, settings } = await make('ollama/llama3.3:70b', compatible, {});
    expect(model.id).toBe('ollama/llama3.3:70b');
    expect(settings).toMatchObject({
      name: 'ollama',
      baseURL: 'http://127.0.0.1:11434/v1',
      includeUsage: true,
    });
  });

  it('takes any provider package that is named', async () => {
    const other = providerPackage('@acme/ai-provider', 'createAcme');
    const { model } = await make({ provider: 'acme', model: 'm', package: '@acme/ai-provider' }, other, {});
    expect(model.id).toBe('acme/m');
  });

  it('leaves keys that go together to the package, and what else it needs to the environment', async () => {
    const bedrock = providerPackage('@ai-sdk/amazon-bedrock', 'createAmazonBedrock');
    const aws = { AWS_ACCESS_KEY_ID: 'id-of-a-key', AWS_SECRET_ACCESS_KEY: key, AWS_REGION: 'eu-central-1' };
    const { model, settings } = await make('amazon-bedrock/eu.anthropic.claude-sonnet-5-v1:0', bedrock, aws);
    expect(settings).toEqual({ region: 'eu-central-1' });
    expect(model.limits).toEqual({ contextTokens: 1_000_000 });
  });

  it('looks the context up only when it is told to', async () => {
    const prices = {
      'node_modules/@pydantic/genai-prices/package.json': JSON.stringify({
        name: '@pydantic/genai-prices',
        type: 'module',
        exports: './prices.js',
      }),
      'node_modules/@pydantic/genai-prices/prices.js': `export const calcPrice = (usage, model, { providerId }) =>
        model === 'gone' ? null : { model: { context_window: providerId === 'openai' ? 4242 : undefined } };`,
    };
    const sizeOf = async (entry: ProviderModelEntry): Promise<number | undefined> =>
      (await make(entry, { ...openai, ...compatible, ...prices })).model.limits?.contextTokens;
    expect(await sizeOf({ provider: 'openai', model: 'm', contextTokens: 'lookup' })).toBe(4242);
    expect(await sizeOf({ provider: 'openai', model: 'gone', contextTokens: 'lookup' })).toBeUndefined();
    expect(await sizeOf({ provider: 'openai', model: 'm' })).toBeUndefined();
  });
});

describe('a config whose model cannot be made', () => {
  const prefix = '# models\n';

  async function errorsOf(
    model: string,
    files: Readonly<Record<string, string>> = {},
    environment: Readonly<Record<string, string>> = {},
  ): Promise<readonly string[]> {
    const directory = makeProject({ 'shallot.config.yaml': `${prefix}model: ${model}\n`, ...files });
    mkdirSync(join(directory, 'node_modules/@shallot'), { recursive: true });
    symlinkSync(join(import.meta.dirname, '..'), join(directory, 'node_modules/@shallot/model-ai-sdk'));
    for (const name of Object.keys(process.env)) {
      if (/_API_KEY$|^AWS_|^AZURE_/.test(name)) vi.stubEnv(name, undefined);
    }
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const failure = await failureOf(loadAgent({ cwd: directory, log: 'silent' }));
    if (!isShallotError(failure)) throw failure;
    const errors: readonly ShallotError[] = failure.errors.length > 0 ? failure.errors : [failure];
    return errors.map((error) => formatError(error).replaceAll(`${directory}/`, ''));
  }

  it.each([
    ['a misspelt provider', 'antropic/claude-sonnet-5', {}],
    ['an unknown provider', 'acme/m', {}],
    ['an unknown provider in an entry', '{ model: m, provider: acme }', {}],
    ['a provider that is not installed', 'anthropic/claude-sonnet-5', { 'pnpm-lock.yaml': '' }],
    ['no key', 'anthropic/claude-sonnet-5', anthropic],
    [
      'an interface that is too old',
      '{ provider: openai-compatible, baseURL: "http://x/v1", model: m }',
      providerPackage('@ai-sdk/openai-compatible', 'createOpenAICompatible', { version: 'v1' }),
    ],
    [
      'a package of another kind',
      '{ provider: openai-compatible, baseURL: "http://x/v1", model: m }',
      { ...compatible, 'node_modules/@ai-sdk/openai-compatible/index.js': 'export const a = 1;' },
    ],
    ['no baseURL', '{ provider: openai-compatible, model: m }', compatible],
    ['a wrong baseURL', '{ provider: openai-compatible, model: m, baseURL: localhost:8080 }', compatible],
    [
      'no data of prices',
      '{ provider: openai-compatible, model: m, baseURL: "http://x/v1", contextTokens: lookup }',
      compatible,
    ],
    ['no model', '{ provider: openai }', openai],
    [
      'misspelt keys and wrong values',
      '{ provider: openai, model: m, baseUrl: x, api: chats, contextTokens: many }',
      openai,
    ],
    ['an interface that the provider has not', '{ provider: ollama, model: m, api: chat }', withoutChat],
    ['a header that cannot be sent', '{ provider: openai, model: m, headers: { "X Team": bees } }', openai],
    [
      'a package of its own of another kind',
      '{ provider: acme, package: acme, model: m }',
      { ...providerPackage('acme', 'createAcme'), 'node_modules/acme/index.js': 'export const a = 1;' },
    ],
    ['no region', 'amazon-bedrock/nova', providerPackage('@ai-sdk/amazon-bedrock', 'createAmazonBedrock')],
  ])('with %s says where, why and what to do', async (_, model, files) => {
    expect(await errorsOf(model, files)).toMatchSnapshot();
  });

  it('says of a word without a provider that it names no model', async () => {
    await expect(resolveModel('nope', { from: makeProject({}), env })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: '"nope" is not the name of a model. Write provider/model, or offline.',
    });
  });

  it.each([
    ['the environment', 'anthropic/claude-sonnet-5', anthropic, { ANTHROPIC_API_KEY: ' ' }],
    ['its entry', '{ provider: openai, model: m, apiKey: { $env: MY_API_KEY } }', openai, { MY_API_KEY: '' }],
  ])('with an empty key in %s says which', async (_, model, files, environment) => {
    expect(await errorsOf(model, files, environment)).toMatchSnapshot();
  });

  it.each([
    ['a line break', `${key}\nand more`],
    ['a character of a text program', `${key}…`],
  ])('with a key that holds %s says where it is from, without the key', async (_, damaged) => {
    const errors = [
      await errorsOf('openai/m', openai, { OPENAI_API_KEY: damaged }),
      await errorsOf('{ provider: openai, model: m, apiKey: { $env: MY_API_KEY } }', openai, {
        MY_API_KEY: damaged,
      }),
      await errorsOf('{ provider: openai, model: m, headers: { X-A: { $env: MY_HEADER } } }', openai, {
        MY_HEADER: damaged,
        OPENAI_API_KEY: key,
      }),
    ].flat();
    expect(errors).toMatchSnapshot();
    expect(errors.join()).not.toContain(key);
  });

  it('with a key written out in its headers says so, without the key', async () => {
    const model = `{ provider: openai, model: m, headers: { X-Team: bees, Authorization: Bearer ${key} } }`;
    const errors = await errorsOf(model, openai);
    expect(errors).toMatchSnapshot();
    expect(errors.join()).not.toContain(key);
  });

  it('with a key written out in it says so, without the key', async () => {
    const errors = await errorsOf(`{ provider: openai, model: m, apiKey: ${key} }`, openai);
    expect(errors).toMatchSnapshot();
    expect(errors.join()).not.toContain(key);
    expect(
      (await errorsOf('{ provider: openai, model: m, apiKey: 471147114711 }', openai)).join(),
    ).not.toContain('4711');
  });
});

describe('what is empty', () => {
  const none = {
    ...env,
    AWS_REGION: '',
    AWS_BEARER_TOKEN_BEDROCK: key,
    AZURE_API_KEY: key,
    AZURE_RESOURCE_NAME: '',
  };
  it.each([
    [
      'a key of the entry',
      { provider: 'openai', model: 'm', apiKey: '' },
      'MODEL_AUTH',
      'Its apiKey is empty',
    ],
    ['a key of spaces', { provider: 'openai', model: 'm', apiKey: ' ' }, 'MODEL_AUTH', 'Its apiKey is empty'],
    ['a region', 'amazon-bedrock/nova', 'CONFIG_INVALID', 'AWS_REGION'],
    ['a resource', 'azure/gpt', 'CONFIG_INVALID', 'AZURE_RESOURCE_NAME'],
  ])('is as if it were not there: %s', async (_, named, code, words) => {
    const from = makeProject({
      ...openai,
      ...providerPackage('@ai-sdk/amazon-bedrock', 'createAmazonBedrock'),
      ...providerPackage('@ai-sdk/azure', 'createAzure'),
    });
    await expect(resolveModel(named, { from, env: none })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words) as string,
    });
  });
});

describe('a key that the provider refuses', () => {
  it('is not shown either when it was in a header', async () => {
    const index = 'node_modules/@ai-sdk/openai/index.js';
    const repeating = {
      ...openai,
      [index]: (openai[index] ?? '').replace('settings.apiKey', 'settings.headers["x-key"]'),
    };
    const headers = { 'x-key': 'key-of-a-header-0815' };
    const { model } = await make({ provider: 'openai', model: 'm', headers }, repeating);
    const request = { model, instructions: '', messages: [], settings: {} };
    const call = { signal: new AbortController().signal, emit: () => {}, wantsChunks: false };
    const failure = (await failureOf(model.generate(request, call))) as ShallotError;
    expect(failure.message).toContain('Incorrect key [redacted]');
  });

  it('is named by its setting and its place, and not shown', async () => {
    const from = makeProject(openai);
    const locate = (path: readonly string[] = []): { file: string; line: number } => ({
      file: 'c.yaml',
      line: 1 + path.length,
    });
    const ask = async (named: string | ProviderModelEntry): Promise<ShallotError> => {
      const model = await resolveModel(named, { from, env, locate });
      const request = { model, instructions: '', messages: [], settings: {} };
      const call = { signal: new AbortController().signal, emit: () => {}, wantsChunks: false };
      return (await failureOf(model.generate(request, call))) as ShallotError;
    };
    const named = await ask('openai/m');
    expect(named).toMatchObject({ code: 'MODEL_AUTH', at: { line: 1 } });
    expect(named.message).toBe(
      'openai/m failed (HTTP 401): Incorrect key [redacted]. The key is taken from OPENAI_API_KEY. Set a valid key.',
    );
    const written = await ask({ provider: 'openai', model: 'm', apiKey: 'other-key-0815' });
    expect(written).toMatchObject({ code: 'MODEL_AUTH', at: { line: 2 } });
    expect(written.message).not.toContain('0815');
    expect(await ask({ provider: 'openai', model: 'm' })).toMatchObject({ at: { line: 1 } });
  });
});

it.each(Object.entries(providers))(
  'the core knows what a model of %s needs',
  (name, { package: ofProvider, needs = {}, needsURL }) => {
    const known = providerNeeds[name];
    expect(known).toMatchObject({ package: ofProvider });
    expect(known?.variables ?? []).toEqual(Object.values(needs));
    expect(known?.needsURL).toBe(needsURL);
  },
);

it.each(Object.entries(providers))(
  'a model of %s is asked for with all that it needs while nothing is installed',
  async (name, { package: ofProvider, keys, keyIsOptional }) => {
    const [key] = keyIsOptional === true ? [] : keys;
    const directory = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-models-')));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    writeFileSync(join(directory, 'shallot.config.yaml'), `model: ${name}/m\n`);
    const failure = await failureOf(loadAgent({ cwd: directory, log: 'silent' }));
    const message = isShallotError(failure) ? failure.message : '';
    expect(message).toContain(`Run: npm install @shallot/model-ai-sdk ${ofProvider}`);
    expect(message).toContain(key === undefined ? 'not installed. Run' : `a key in ${key}. Run`);
  },
);
