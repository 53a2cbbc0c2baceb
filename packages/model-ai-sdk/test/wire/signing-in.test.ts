import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { loadAgent } from '@shallot/core/config';
import { collectEvents } from '@shallot/testing';
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { resolveModel } from '../../src/resolve-model.ts';
import { ask } from '../ask.ts';
import { forgetKeys, makeProject, openAgent } from './project.ts';
import { searchedAnswer } from './searched-answer.ts';
import { startWire, type Harm } from './wire-server.ts';

const wire = await startWire();
afterAll(() => wire[Symbol.asyncDispose]());
beforeEach(() => {
  wire.reset();
  forgetKeys();
});

const from = import.meta.dirname;

/** Returns the request that the server saw for a call of the model that an entry names. */
async function sentBy(entry: Parameters<typeof resolveModel>[0], env = {}): Promise<Record<string, unknown>> {
  wire.answer({ text: 'Yes.' });
  const model = await resolveModel(entry, { from, env });
  await ask(model, {}, { wantsChunks: false });
  return wire.requests[0]?.headers ?? {};
}

describe('without a key, an entry signs in', () => {
  it('with a token of Anthropic, also where there is a key', async () => {
    const options = { authToken: 'token-of-the-company', baseURL: `${wire.url}/v1` };
    const entry = { provider: 'anthropic', model: 'claude-sonnet-5', options };
    const headers = await sentBy(entry, { ANTHROPIC_API_KEY: 'sk-ant-0123456789' });
    expect(headers).toMatchObject({ authorization: 'Bearer token-of-the-company' });
    expect(headers).not.toHaveProperty('x-api-key');
  });

  it("with Azure's provider of tokens, a function", async () => {
    const options: Record<string, unknown> = { tokenProvider: async () => 'token-of-entra' };
    const entry = { provider: 'azure', model: 'm', baseURL: `${wire.url}/openai`, options };
    // In a config that is code, options hold more than JSON.
    expect(await sentBy(entry)).toMatchObject({
      authorization: 'Bearer token-of-entra',
    });
  });

  it("with Amazon's chain of credentials, a function", async () => {
    const credentialProvider = async (): Promise<object> => ({
      accessKeyId: 'AKIA0123456789',
      secretAccessKey: 'secret-0123456789',
      sessionToken: 'session',
    });
    const options: Record<string, unknown> = { region: 'eu-central-1', credentialProvider };
    const entry = {
      provider: 'amazon-bedrock',
      model: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
      baseURL: wire.url,
      options,
    };
    const headers = await sentBy(entry);
    expect(headers['authorization']).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIA0123456789\//);
    expect(headers['x-amz-security-token']).toBe('session');
  });

  it('as the package of Vertex does by itself, with the credentials of the machine', async () => {
    const project = makeProject('unused');
    const token = join(project.directory, 'subject-token');
    const file = join(project.directory, 'credentials.json');
    writeFileSync(token, 'subject-token');
    writeFileSync(
      file,
      JSON.stringify({
        type: 'external_account',
        audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        token_url: `${wire.url}/token`,
        credential_source: { file: token },
      }),
    );
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', file);
    const grant = { access_token: 'token-of-google', token_type: 'Bearer', expires_in: 3600 };
    wire.answer({ harm: jsonOf(grant) }, searchedAnswer('gemini'));
    const options = { project: 'p', location: 'l', baseURL: `${wire.url}/v1beta1` };
    const model = await resolveModel(
      { provider: 'vertex', model: 'gemini-3-flash', options },
      { from, env: {} },
    );
    await ask(model, {}, { wantsChunks: false });
    expect(wire.requests.map(({ path }) => path)).toEqual([
      '/token',
      '/v1beta1/models/gemini-3-flash:generateContent',
    ]);
    expect(wire.requests[0]?.text).toContain('subject_token=subject-token');
    expect(wire.requests[1]?.headers['authorization']).toBe('Bearer token-of-google');
  });

  it('as the package of the gateway does by itself, on Vercel', async () => {
    const claims = Buffer.from(JSON.stringify({ exp: 4_102_444_800 })).toString('base64url');
    vi.stubEnv('VERCEL_OIDC_TOKEN', `e30.${claims}.c2ln`);
    const entry = { provider: 'gateway', model: 'openai/gpt-5', baseURL: `${wire.url}/v4/ai` };
    expect(await sentBy(entry)).toMatchObject({ authorization: `Bearer e30.${claims}.c2ln` });
  });

  it.each([
    ['openai', 'gpt-4.1', '/v1'],
    ['anthropic', 'claude-sonnet-5', '/v1'],
    ['google', 'gemini-3-flash', '/v1beta'],
    ['azure', 'm', '/openai'],
    ['gateway', 'openai/gpt-5', '/v4/ai'],
    ['openrouter', 'openai/gpt-5', '/v1'],
    ['openai-compatible', 'm', '/v1'],
  ])('with an Authorization header alone: %s', async (provider, model, path) => {
    const headers = { authorization: 'Bearer token-of-the-proxy' };
    const sent = await sentBy({ provider, model, baseURL: `${wire.url}${path}`, headers });
    expect(sent['authorization']).toBe('Bearer token-of-the-proxy');
    expect(JSON.stringify(sent)).not.toContain('the-header-signs-in');
    expect(sent).not.toHaveProperty('x-api-key');
  });

  it('with the header of the options, too, and a key stays what it is', async () => {
    const options = { headers: { Authorization: 'Basic dXNlcjpwdw==' } };
    const entry = { provider: 'anthropic', model: 'm', baseURL: `${wire.url}/v1`, options };
    expect(await sentBy(entry)).toMatchObject({ authorization: 'Basic dXNlcjpwdw==' });
    wire.reset();
    expect(await sentBy(entry, { ANTHROPIC_API_KEY: 'sk-ant-0123456789' })).toMatchObject({
      authorization: 'Basic dXNlcjpwdw==',
      'x-api-key': 'sk-ant-0123456789',
    });
  });

  it('and says which header it was that was refused, but not its value', async () => {
    wire.requireKey('another');
    const headers = { Authorization: 'Bearer token-of-the-proxy' };
    const entry = { provider: 'openai', model: 'm', baseURL: `${wire.url}/v1`, headers };
    const failed = await ask(await resolveModel(entry, { from, env: {} })).then(String, String);
    expect(failed).toContain('The key is taken from the Authorization header of the model.');
    expect(failed).not.toContain('token-of-the-proxy');
  });

  it('and none is in a message', async () => {
    wire.requireKey('another');
    const options = {
      authToken: 'token-of-the-company',
      headers: { 'x-gate': 'gatevalue77xyz' },
      baseURL: `${wire.url}/v1`,
    };
    const model = await resolveModel({ provider: 'anthropic', model: 'm', options }, { from, env: {} });
    const failed = await ask(model).then(String, String);
    expect(failed).toContain('The key is taken from "authToken" under the options of the model.');
    expect(failed).not.toContain('token-of-the-company');
  });

  it('and needs one where the options have none', async () => {
    const options = { authToken: '' };
    await expect(
      resolveModel({ provider: 'anthropic', model: 'm', options }, { from, env: {} }),
    ).rejects.toMatchObject({
      code: 'MODEL_AUTH',
    });
  });
});

describe('a user and a password in an address', () => {
  it.each([
    { baseURL: 'https://anna:hunter22@bees.example/v1' },
    { baseURL: 'ftp://anna:hunter22@bees.example/v1' },
    { options: { baseURL: 'https://hunter22@bees.example/v1' } },
  ])('are refused, and not shown: %j', async (where) => {
    const entry = { provider: 'openai-compatible', model: 'm', baseURL: 'https://bees.example/v1', ...where };
    const failed = await resolveModel(entry, { from, env: {} }).catch(String);
    expect(failed).toContain('contains a user name or a password, which are not sent from there');
    expect(failed).not.toContain('hunter22');
  });

  it('are not shown either where the package takes them from the environment', async () => {
    vi.stubEnv('OPENAI_BASE_URL', wire.url.replace('//', '//anna:hunter22@'));
    const model = await resolveModel('openai/gpt-4.1', { from, env: { OPENAI_API_KEY: 'sk-0123456789' } });
    const failed = await ask(model).then(String, String);
    expect(failed).toContain('openai/gpt-4.1 failed');
    expect(failed).not.toContain('hunter22');
  });
});

it('a fetch of the options makes the requests, with the headers of options and entry', async () => {
  const urls: string[] = [];
  const own: typeof fetch = (input, init) => {
    urls.push(input instanceof Request ? input.url : String(input));
    return fetch(input, init);
  };
  const options: Record<string, unknown> = {
    fetch: own,
    headers: { 'x-one': '1', 'x-two': 'of the options' },
  };
  const entry = {
    provider: 'openai',
    model: 'gpt-4.1',
    baseURL: `${wire.url}/v1`,
    apiKey: 'sk-0123456789',
    headers: { 'x-two': '2' },
    options,
  };
  expect(await sentBy(entry)).toMatchObject({
    'x-one': '1',
    'x-two': '2',
  });
  expect(urls).toEqual([`${wire.url}/v1/responses`]);
});

it('a config that is code may hold functions', async () => {
  wire.answer({ text: 'Yes.' });
  const code = `export default { model: { provider: 'azure', model: 'm', baseURL: '${wire.url}/openai', options: { tokenProvider: async () => 'token-of-entra' } } };`;
  const { directory } = makeProject('./unused.mjs', {
    packages: ['@ai-sdk/azure'],
    files: { 'other.config.mjs': code },
  });
  const { agent } = await loadAgent({ path: `${directory}/other.config.mjs` });
  onTestFinished(() => agent.close());
  expect((await agent.run('Well?')).text).toBe('Yes.');
  expect(wire.requests[0]?.headers['authorization']).toBe('Bearer token-of-entra');
});

describe('a package that is not in the table', () => {
  const module = `import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
    export const createAcmeCloud = (options) => createOpenAICompatible({ name: 'acme', ...options });`;
  const files = {
    'node_modules/@ai-sdk/acme-cloud/package.json':
      '{"name":"@ai-sdk/acme-cloud","type":"module","exports":"./index.js"}',
    'node_modules/@ai-sdk/acme-cloud/index.js': module,
  };

  it('works by what such packages have in common, slashes in names included, and is said to be untried', async () => {
    vi.stubEnv('ACME_CLOUD_API_KEY', 'sk-acme-0123456789');
    wire.answer({ text: 'Yes.' });
    const model = { provider: 'acme-cloud', model: 'org/models/m-1', baseURL: `${wire.url}/v1` };
    const agent = await openAgent(makeProject(model, { packages: ['@ai-sdk/openai-compatible'], files }));
    const { events, text } = await collectEvents(agent.stream('Well?'));
    expect(text).toBe('Yes.');
    expect(wire.requests[0]?.text).toContain('"model":"org/models/m-1"');
    expect(wire.requests[0]?.headers['authorization']).toBe('Bearer sk-acme-0123456789');
    expect(events.filter(({ type }) => type === 'warning')).toMatchObject([
      {
        code: 'MODEL_WARNING',
        message: expect.stringContaining('@ai-sdk/acme-cloud was not tried with Shallot') as string,
      },
    ]);
  });

  it('is asked for by its name where it is not installed', async () => {
    await expect(openAgent(makeProject('acme-cloud/m'))).rejects.toThrow(
      'install @ai-sdk/acme-cloud if there is such a package',
    );
  });
});

function jsonOf(body: object): Harm {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
}
