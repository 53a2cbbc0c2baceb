import { describe, expect, it } from 'vitest';

import { brief, errorOf, makeProject } from '../../../test/test-project.ts';
import { definePlugin } from '../../contract/define-plugin.ts';
import { loadAgent } from '../load-agent.ts';
import { isSecretPlace, redactorOptions, withMore } from './secret-places.ts';

describe('secrets of a config', () => {
  it('are known to the log: what options take from the environment is, names and addresses are not', async () => {
    const lines: string[] = [];
    const project = makeProject({
      'shallot.config.yaml': `
name: { $env: BEE_NAME }
model: { use: ./model.mjs, options: { cred: { $env: ACME_CRED }, base: { $env: ACME_BASE } } }
log: info
redact: { secrets: [{ $env: BEE_PIN }], patterns: ['HIVE-\\d+'] }
`,
      'model.mjs': `export default () => ({ id: 'a/b', generate: () => { throw new Error('never'); } });`,
    });
    const { agent } = await loadAgent({
      cwd: project.directory,
      env: {
        BEE_NAME: 'bee-club-agent',
        ACME_CRED: 'wax-and-honey',
        ACME_BASE: 'https://acme.example/v1',
        BEE_PIN: '4711',
      },
      logStream: { write: (line) => lines.push(line) },
      plugins: [
        definePlugin({
          name: 'noisy',

          setup: ({ log }) => log.info('bee-club-agent wax-and-honey https://acme.example/v1 4711 HIVE-12'),
        })(),
      ],
    });
    await agent.close();
    expect(lines.join('')).toContain(
      '"msg":"bee-club-agent [redacted] https://acme.example/v1 [redacted] [redacted]"',
    );
  });

  it('are checked with the rest of the config', async () => {
    const project = makeProject({
      'shallot.config.yaml': "model: a/b\nredact: { secrets: ['xyz'], patterns: ['('], environment: {} }\n",
    });
    const error = await errorOf(loadAgent({ cwd: project.directory }));
    expect(brief(project, error)).toMatchInlineSnapshot(`
      [
        "CONFIG_INVALID shallot.config.yaml:2:21 redact.secrets[0] is not valid; write a longer one: this one would match almost everywhere.",
        "CONFIG_INVALID shallot.config.yaml:2:40 redact.patterns[0] is "("; write a regular expression without slashes around it.",
        "CONFIG_INVALID shallot.config.yaml:2:59 redact.environment is {}; write true or false.",
      ]
    `);
  });

  it('are refused wherever they are written out in a file that is not code, unless they are paths or addresses', async () => {
    const project = makeProject({
      'shallot.config.yaml': `
model: { provider: openai, model: gpt-5, options: { apiKey: sk-1 } }
settings: { headers: { x-api-key: wax } }
store: { use: ./store.mjs, options: { password: honey, credentials: ./key.json } }
plugins:
  - use: ./mcp.mjs
    options: { servers: [{ env: { GITHUB_TOKEN: ghp_1, LEVEL: info }, headers: { Authorization: Bearer x } }], maxToken: 5 }
  - { use: ./ok.mjs, options: { token: { $env: T, default: '' }, tokenUrl: a, secret: '' } }
`,
    });
    const error = await errorOf(loadAgent({ cwd: project.directory, env: {} }));
    const places = brief(project, error).map((line) =>
      line.replace(/ is a literal secret in the config.*/, ''),
    );
    expect(places).toMatchInlineSnapshot(`
      [
        "CONFIG_INVALID shallot.config.yaml:2:61 model.options.apiKey",
        "CONFIG_INVALID shallot.config.yaml:3:35 settings.headers.x-api-key",
        "CONFIG_INVALID shallot.config.yaml:4:49 store.options.password",
        "CONFIG_INVALID shallot.config.yaml:7:49 plugins[0].options.servers[0].env.GITHUB_TOKEN",
        "CONFIG_INVALID shallot.config.yaml:7:97 plugins[0].options.servers[0].headers.Authorization",
      ]
    `);
  });

  it('may come from anywhere in a config that is code', async () => {
    const project = makeProject({
      'shallot.config.mjs': `export default { model: { use: './model.mjs', options: { apiKey: 'wax' } } };`,
      'model.mjs': `export default ({ apiKey }) => ({ id: apiKey, generate() {} });`,
    });
    const { agent } = await loadAgent({ cwd: project.directory, env: {} });
    expect(agent.model.id).toBe('wax');
    await agent.close();
  });
});

describe('options of the redactor', () => {
  const env = { KEY: 'wax-and-honey' };

  it('are those of the config, with what it takes from the environment', () => {
    expect(redactorOptions({ secrets: ['a1'], patterns: ['b+', /c/i] }, env, ['d1'])).toEqual({
      secrets: ['a1', 'd1'],
      patterns: [/b+/, /c/i],
      environment: env,
    });
    expect(redactorOptions(undefined, env, [])).toEqual({ secrets: [], patterns: [], environment: env });
    expect(redactorOptions({ environment: false }, env, [])).toMatchObject({ environment: false });
  });

  it('of a program are added, and its environment replaces that of the config', () => {
    const known = redactorOptions({ secrets: ['a1'], patterns: ['b'] }, env, []);
    const other = { KEY: 'milk' };
    expect(withMore(known, { secrets: ['e1'], patterns: [/f/], environment: other })).toEqual({
      secrets: ['a1', 'e1'],
      patterns: [/b/, /f/],
      environment: other,
    });
    expect(withMore(known)).toEqual(known);
    expect(withMore({}, {})).toEqual({ secrets: [], patterns: [] });
  });
});

it.each([
  [['plugins', 0, 'options', 'url'], true],
  [['settings', 'headers', 'x'], true],
  [['settings', 'provider', 'a', 'b'], true],
  [['redact', 'secrets', 0], true],
  [['serve', 'tokens', 0], true],
  [['model', 'apiKey'], true],
  [['name'], false],
  [['plugins', 0, 'use'], false],
  [[], false],
])('%j is a place of secrets: %s', (path, expected) => {
  expect(isSecretPlace(path)).toBe(expected);
});
