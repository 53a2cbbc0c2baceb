import { mkdirSync, symlinkSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { errorOf, makeProject } from '../../../test/test-project.ts';
import { loadAgent } from '../load-agent.ts';
import { loadConfig } from '../load-config.ts';

describe('the `.env` beside a config', () => {
  it('fills in `$env`, and never overrides the environment', async () => {
    const project = makeProject({
      'shallot.config.yaml': 'name: { $env: BEE }\nmodel: { $env: BEE_MODEL }\n',
      '.env': '# comment\nBEE="from the file"\nexport BEE_MODEL=a/b # and why\n',
    });
    const { config, envFile } = await loadConfig({ cwd: project.directory, env: {} });
    expect(config).toMatchObject({ name: 'from the file', model: 'a/b' });
    expect(envFile).toBe(project.path('.env'));

    const other = await loadConfig({ cwd: project.directory, env: { BEE: 'set' } });
    expect(other.config.name).toBe('set');
  });

  it('stands beside the config, not beside the working directory, and reaches no environment', async () => {
    const project = makeProject({
      'shallot.config.yaml': 'name: { $env: SHALLOT_TEST_BEE, default: none }',
      '.env': 'SHALLOT_TEST_BEE=outer',
      'app/.env': 'SHALLOT_TEST_BEE=inner',
    });
    const { config } = await loadConfig({ cwd: project.path('app') });
    expect(config.name).toBe('outer');
    expect(process.env['SHALLOT_TEST_BEE']).toBeUndefined();
  });

  it('is handed over before a config that is code is run', async () => {
    const project = makeProject({
      'shallot.config.mjs': 'export default { name: globalThis.bee };',
      '.env': 'BEE=early',
    });
    const { config } = await loadConfig({
      cwd: project.directory,
      onEnvFile: ({ path, values }) => {
        expect(path).toBe(project.path('.env'));
        Object.assign(globalThis, { bee: values['BEE'] });
      },
    });
    expect(config.name).toBe('early');
  });

  it('holds keys of providers, which are secrets like those of the environment', async () => {
    const project = makeProject({
      'shallot.config.yaml': 'model: { provider: openai, model: gpt-5 }',
      '.env': 'OPENAI_API_KEY=wax-and-honey\n',
      'node_modules/@shallot/model-ai-sdk/package.json': '{ "type": "module", "exports": "./index.js" }',
      'node_modules/@shallot/model-ai-sdk/index.js':
        'export const resolveModel = (_, { env }) => ({ id: env.OPENAI_API_KEY, generate() {} });',
    });
    const { agent, envFile } = await loadAgent({ cwd: project.directory, env: {} });
    expect(agent.model.id).toBe('wax-and-honey');
    expect(agent.redactor.text('the key wax-and-honey')).toBe('the key [redacted]');
    expect(envFile).toBe(project.path('.env'));
    await agent.close();
  });

  it('may be missing, and a directory of that name is none', async () => {
    const project = makeProject({ 'shallot.config.yaml': 'model: a/b' });
    mkdirSync(project.path('.env'));
    expect((await loadConfig({ cwd: project.directory })).envFile).toBeUndefined();
  });

  it('is reported when it cannot be read', async () => {
    const project = makeProject({ 'shallot.config.yaml': 'model: a/b' });
    symlinkSync('.env', project.path('.env'));
    const error = await errorOf(loadConfig({ cwd: project.directory }));
    expect(error).toMatchObject({ code: 'CONFIG_ENV', at: { file: project.path('.env') } });
    expect(error.message).toMatch(/^\.env cannot be read: ELOOP/);
  });
});

describe('what a config says of secrets', () => {
  it('is known before anything that it names is imported', async () => {
    const project = makeProject({
      'shallot.config.yaml': 'model: { use: ./model.mjs, options: { cred: { $env: CRED } } }',
      'model.mjs': 'export default ({ cred }) => { throw new Error(`no entry for ${cred}`); };',
    });
    let redact = (text: string): string => text;
    const failing = loadAgent({
      cwd: project.directory,
      env: { CRED: 'wax-and-honey' },
      onRedactor: ({ text }) => (redact = text),
    });
    const { message } = await errorOf(failing);
    expect(redact(message)).toContain('no entry for [redacted]');
  });
});
