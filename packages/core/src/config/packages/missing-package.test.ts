import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { brief, errorOf, makeProject, modelModule, pluginPackage } from '../../../test/test-project.ts';
import { loadAgent } from '../load-agent.ts';
import { splitName } from './find-package.ts';
import { otherNames } from './other-names.ts';
import { ownPackages } from './own-packages.ts';

const installed = {
  ...pluginPackage('@shallot/plugin-hitl'),
  ...pluginPackage('shallot-plugin-spending'),
  ...pluginPackage('@acme/shallot-plugin-tickets'),
  ...pluginPackage('acme-agents-audit', { manifest: { shallot: { plugin: 'audit', api: '^1.0.0' } } }),
  'node_modules/@acme/store-redis/package.json': '{ "name": "@acme/store-redis" }',
  'package.json': JSON.stringify({
    type: 'module',
    dependencies: { 'acme-agents-audit': '1', '@acme/store-redis': '1', zod: '4' },
  }),
};

async function messageFor(config: string): Promise<string> {
  const project = makeProject({
    ...installed,
    'model.mjs': modelModule,
    'shallot.config.yaml': `${config.includes('model:') ? '' : 'model: ./model.mjs\n'}${config}\n`,
  });
  return brief(project, await errorOf(loadAgent({ cwd: project.directory }))).join('\n');
}

const ownPlugins = ownPackages.plugin.map((name) => name.replace('@shallot/plugin-', '')).join(', ');

describe('a plugin that is not installed', () => {
  it.each([
    ['telemetri', 'Did you mean "telemetry"? Then run: npm install @shallot/plugin-telemetry'],
    ['"@shallot/plugin-hitll"', 'Did you mean "@shallot/plugin-hitl"?'],
    [
      '"@shalot/plugin-memory"',
      'Did you mean "@shallot/plugin-memory"? Then run: npm install @shallot/plugin-memory',
    ],
    [
      'shallot-plugin-memory',
      'Did you mean "@shallot/plugin-memory"? Then run: npm install @shallot/plugin-memory',
    ],
    ['hitll', 'Did you mean "hitl"?'],
    ['Hitl', 'Did you mean "hitl"?'],
    ['spendng', 'Did you mean "spending"?'],
    ['shallot-plugin-spendng', 'Did you mean "shallot-plugin-spending"?'],
    ['tickets', 'Did you mean "@acme/tickets"?'],
    ['"@acme/tikets"', 'Did you mean "@acme/tickets"?'],
    ['"@acne/shallot-plugin-tickets"', 'Did you mean "@acme/shallot-plugin-tickets"?'],
    ['acme-agent-audit', 'Did you mean "acme-agents-audit"?'],
  ])('gets the nearest name: %s', async (use, advice) => {
    expect((await messageFor(`plugins: [${use}]`)).endsWith(`. ${advice}`)).toBe(true);
  });

  it.each([
    ['piiMiddleware', 'Did you mean "redaction"? Then run: npm install @shallot/plugin-redaction'],
    ['PII', 'Did you mean "redaction"? Then run: npm install @shallot/plugin-redaction'],
    ['humanInTheLoopMiddleware', 'Did you mean "hitl"?'],
    [
      'tool-call-limit',
      'Did you mean "limits" with the option toolCalls? Then run: npm install @shallot/plugin-limits',
    ],
    [
      '"@shallot/plugin-tool-selector"',
      'Did you mean "@shallot/plugin-toolset" with the option search? Then run: npm install @shallot/plugin-toolset',
    ],
    [
      'LLMToolSelectorMiddleware',
      'Did you mean "toolset" with the option search? Then run: npm install @shallot/plugin-toolset',
    ],
  ])('gets the plugin that does what has this name elsewhere: %s', async (use, advice) => {
    expect((await messageFor(`plugins: [${use}]`)).endsWith(`. ${advice}`)).toBe(true);
  });

  it('may be known by other names, each of one of our plugins', () => {
    const plugins = new Set(Object.values(otherNames).map(({ plugin }) => `@shallot/plugin-${plugin}`));
    expect([...plugins].toSorted()).toEqual(ownPackages.plugin.toSorted());
  });

  it('is advised to be installed when it is one of ours', async () => {
    expect(await messageFor('plugins: [memory]')).toMatch(/\. Run: npm install @shallot\/plugin-memory$/);
  });

  it.each(['zood', 'spend', '"@other/things"', 'shallot-plugin-x'])(
    'is not advised to be installed when nobody knows it: %s',
    async (use) => {
      const message = await messageFor(`plugins: [${use}]`);
      expect(message).toContain(`Shallot's own plugins are ${ownPlugins}.`);
      expect(message).not.toMatch(/npm install|Did you mean/);
    },
  );

  it('is advised to be installed with all others when the manifest lists it', async () => {
    const project = makeProject({
      'pnpm-lock.yaml': '',
      'package.json': '{ "devDependencies": { "@acme/shallot-plugin-tea": "1" } }',
      'shallot.config.yaml': 'plugins: ["@acme/tea"]',
    });
    const [message] = brief(project, await errorOf(loadAgent({ cwd: project.directory })));
    expect(message).toMatch(/lists @acme\/shallot-plugin-tea, but it is not installed\. Run: pnpm install$/);
  });

  it('is told of the space that is missing behind "use:"', async () => {
    expect(await messageFor('plugins: ["use:./p.ts"]')).toContain('Write use: ./p.ts');
  });
});

describe('another package that is not installed', () => {
  it.each([
    ['store: sqllite', 'Did you mean "sqlite"?'],
    ['store: Memory', 'Did you mean "memory"?'],
    ['store: "@acme/store-reddis"', 'Did you mean "@acme/store-redis"?'],
    ['store: redis', 'Did you mean "@acme/store-redis"?'],
    ['store: mongo', 'Built-in stores are memory and sqlite'],
    ['tools: [zodd]', 'Did you mean "zod"?'],
    ['extends: acme-agent-audit', 'Did you mean "acme-agents-audit"?'],
    [
      'model: { use: "@shallot/model-ai-sdkk" }',
      'Did you mean "@shallot/model-ai-sdk"? Then run: npm install @shallot/model-ai-sdk',
    ],
  ])('gets the nearest name, and no advice to install what it is not: %s', async (config, advice) => {
    const message = await messageFor(config);
    expect(message).toContain(advice);
    const [, commanded] = /install (\S+)/.exec(message) ?? [];
    expect([undefined, '@shallot/model-ai-sdk', 'the']).toContain(commanded);
  });

  it('is named with all that a model needs', async () => {
    expect(await messageFor('model: openai/gpt-5')).toMatch(
      /needs the packages @shallot\/model-ai-sdk and @ai-sdk\/openai, which are not installed, and a key in OPENAI_API_KEY\. Run: npm install @shallot\/model-ai-sdk @ai-sdk\/openai$/,
    );
    expect(await messageFor('model: { provider: acme, package: "@acme/ai", model: m }')).toMatch(
      /needs the package @shallot\/model-ai-sdk, which is not installed\. Run: npm install @shallot\/model-ai-sdk$/,
    );
  });
});

it('knows the packages that are published', () => {
  const folder = join(import.meta.dirname, '..', '..', '..', '..');
  const names = globSync('*/package.json', { cwd: folder })
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as { readonly name: string })
    .map(({ name }) => name);
  const published = names.filter((name) => /^@shallot\/(?:plugin|store|model)-/.test(name));
  const own = Object.values(ownPackages).flat();
  expect([...new Set(own.map((name) => splitName(name).name))].toSorted()).toEqual(published.toSorted());
});
