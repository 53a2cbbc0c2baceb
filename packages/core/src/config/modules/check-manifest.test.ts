import { describe, expect, it } from 'vitest';

import {
  brief,
  errorOf,
  makeProject,
  modelModule,
  pluginModule,
  pluginPackage,
} from '../../../test/test-project.ts';
import { memoryStore } from '../../sessions/stores/memory-store.ts';
import { loadAgent } from '../load-agent.ts';

const name = 'shallot-plugin-tea';
const core = new URL('../../index.ts', import.meta.url).href;

function projectWith(
  manifest: object,
  {
    use = 'tea',
    files = {},
  }: { readonly use?: string; readonly files?: Readonly<Record<string, string>> } = {},
): ReturnType<typeof makeProject> {
  return makeProject({
    'model.mjs': modelModule,
    'shallot.config.yaml': `model: ./model.mjs\nplugins:\n  - ${use}\n`,
    ...pluginPackage(name, { manifest, plugin: 'tea' }),
    ...files,
  });
}

describe('a manifest that contradicts its plugin', () => {
  it.each([
    [
      'the name',
      { shallot: { plugin: 'coffee' } },
      `"shallot.plugin" is "coffee" but the definition's name is "tea"`,
    ],
    [
      'the range',
      { shallot: { api: '^1.0.0 || ^2.0.0' } },
      `"shallot.api" is "^1.0.0 || ^2.0.0" but the definition's api is "^1.0.0"`,
    ],
    ['the version', { version: '1.0.1' }, `"version" is "1.0.1" but the definition's version is "1.0.0"`],
  ])('in %s is an error', async (_, manifest, said) => {
    const project = projectWith(manifest);
    expect(brief(project, await errorOf(loadAgent({ cwd: project.directory })))).toEqual([
      `PLUGIN_INVALID tea shallot.config.yaml:3:5 The package.json of ${name} contradicts its plugin: ${said}. Make them equal; if the package is not yours, install another version of it.`,
    ]);
  });

  it('says nothing of the plugins in other entries of the package', async () => {
    const project = projectWith(
      { shallot: { plugin: 'coffee' }, exports: { './tea': './index.js' } },
      { use: `${name}/tea` },
    );
    const { agent } = await loadAgent({ cwd: project.directory });
    expect(agent.plugins).toMatchObject([{ id: 'tea' }]);
    await agent.close();
  });
});

describe('a definition without a version and an API range', () => {
  const short = `
import { definePlugin } from '${core}';
export default definePlugin({ name: 'tea', afterAgent() {} });`;
  // As another core made it.
  const bare = `
const definition = { name: 'tea', async setup() {} };
const made = { [Symbol.for('shallot.plugin')]: true, definition, madeWith: '0.9.0' };
export default Object.assign((options) => ({ ...made, options }), { definition });`;

  it.each([
    ['a short one', short],
    ['one of another core', bare],
  ])('has those of its package, also in a fork and in records: %s', async (_, module) => {
    const project = projectWith(
      { version: '2.3.4', shallot: { plugin: 'tea', api: '^1.0.0' } },
      { files: { [`node_modules/${name}/index.js`]: module } },
    );
    const store = memoryStore();
    const { agent } = await loadAgent({ cwd: project.directory, store });
    const fork = await agent.fork({});
    expect([agent.plugins, fork.plugins]).toMatchObject([[{ version: '2.3.4' }], [{ version: '2.3.4' }]]);
    await fork.run('hello', { sessionId: 's' });
    expect((await store.load('s'))?.state['core']?.['plugins']?.value).toEqual({
      tea: { name: 'tea', version: '2.3.4' },
    });
    await fork.close();
    await agent.close();
  });

  it('is refused by the range of its package before its code runs', async () => {
    const project = projectWith(
      { shallot: { plugin: 'tea', api: '^2.0.0' } },
      { files: { [`node_modules/${name}/index.js`]: `${short}\nthrow new Error('it ran');` } },
    );
    expect(brief(project, await errorOf(loadAgent({ cwd: project.directory })))).toEqual([
      expect.stringMatching(/^PLUGIN_INCOMPATIBLE tea .*needs the plugin API "\^2\.0\.0"/),
    ]);
  });

  it.each([
    ['a short one', short],
    ['one of another core', bare.replace('0.9.0', '1.0.0')],
  ])('has none when it is a file, below the package.json of an application: %s', async (_, module) => {
    const project = projectWith(
      {},
      {
        use: './tea.mjs',
        files: {
          'tea.mjs': module,
          'package.json': '{ "version": "9.9.9", "shallot": { "plugin": "app", "api": "^9.0.0" } }',
        },
      },
    );
    const store = memoryStore();
    const { agent } = await loadAgent({ cwd: project.directory, store });
    expect(agent.plugins.map((plugin) => 'version' in plugin)).toEqual([false]);
    await agent.run('hello', { sessionId: 's' });
    expect((await store.load('s'))?.state['core']?.['plugins']?.value).toEqual({ tea: { name: 'tea' } });
    await agent.close();
  });

  it('is refused by the core that it was made with when its package says nothing either', async () => {
    const project = projectWith({}, { files: { [`node_modules/${name}/index.js`]: bare } });
    expect(brief(project, await errorOf(loadAgent({ cwd: project.directory })))).toEqual([
      expect.stringContaining(
        'PLUGIN_INCOMPATIBLE tea shallot.config.yaml:3:5 tea 1.0.0 needs the plugin API "^0.9.0"',
      ),
    ]);
  });
});

describe('a plugin that no package.json lists', () => {
  const warningsOf = async (files: Readonly<Record<string, string>>): Promise<string[]> => {
    const project = projectWith({}, { files });
    const { agent, warnings } = await loadAgent({ cwd: project.directory });
    await agent.close();
    return warnings.flatMap((warning) => brief(project, warning));
  };

  it('is a warning that says how to list it', async () => {
    expect(await warningsOf({ 'package.json': '{ "dependencies": {} }', 'pnpm-lock.yaml': '' })).toEqual([
      `PLUGIN_UNLISTED tea shallot.config.yaml:3:5 ${name} is installed, but neither package.json nor any above it lists it as a dependency: ` +
        `it disappears when the package that depends on it does. Run: pnpm add ${name}`,
    ]);
  });

  it.each(['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'])(
    'is none of those among %s',
    async (kind) => {
      expect(await warningsOf({ 'package.json': JSON.stringify({ [kind]: { [name]: '*' } }) })).toEqual([]);
    },
  );

  it('may be listed by a package above, or be the package itself', async () => {
    const inner = {
      'inner/package.json': '{ "name": "inner" }',
      'inner/shallot.config.yaml': 'model: ../model.mjs\nplugins: [tea]\n',
    };
    const above = JSON.stringify({ devDependencies: { [name]: '*' } });
    const project = projectWith({}, { files: { ...inner, 'package.json': above } });
    const itself = makeProject({
      'model.mjs': modelModule,
      'shallot.config.yaml': 'model: ./model.mjs\nplugins: [tea]\n',
      'package.json': JSON.stringify({ name, version: '1.0.0', type: 'module', exports: './index.js' }),
      'index.js': pluginModule('tea'),
    });
    for (const cwd of [project.path('inner'), itself.directory]) {
      const { agent, warnings } = await loadAgent({ cwd });
      expect(warnings).toEqual([]);
      await agent.close();
    }
  });
});

describe('a peer of a plugin', () => {
  const core = (version: string): Record<string, string> => ({
    'node_modules/@shallot/core/package.json': JSON.stringify({ name: '@shallot/core', version }),
  });
  const peerDependencies = { '@shallot/core': '^0.2.0' };

  it.each([
    ['has another version', core('0.1.0'), 'which is installed in version 0.1.0'],
    ['is missing', {}, 'which is not installed'],
  ])('that %s is a warning', async (_, files, state) => {
    const project = projectWith({ peerDependencies }, { files });
    const { agent, warnings } = await loadAgent({ cwd: project.directory });
    expect(warnings.flatMap((warning) => brief(project, warning))).toEqual([
      `PLUGIN_PEER tea shallot.config.yaml:3:5 ${name} 1.0.0 needs @shallot/core ^0.2.0, ${state}. ` +
        `Install a matching version (npm install "@shallot/core@^0.2.0"), or a version of ${name} that works with it.`,
    ]);
    expect(agent.plugins).toMatchObject([{ id: 'tea' }]);
    await agent.close();
  });

  it.each([
    ['fits', { peerDependencies }, core('0.2.3')],
    ['is a workspace’s', { peerDependencies: { '@shallot/core': 'workspace:^' } }, core('0.1.0')],
    [
      'is optional and missing',
      { peerDependencies, peerDependenciesMeta: { '@shallot/core': { optional: true } } },
      {},
    ],
  ])('that %s is no matter', async (_, manifest, files) => {
    const { agent, warnings } = await loadAgent({ cwd: projectWith(manifest, { files }).directory });
    expect(warnings).toEqual([]);
    await agent.close();
  });
});

describe('an edge of a config', () => {
  async function warningsOf(entry: string): Promise<string[]> {
    const project = makeProject({
      'model.mjs': modelModule,
      'shallot.config.yaml': `model: ./model.mjs
plugins:
  - use: ./redact.mjs
  - use: ./gone.mjs
    enabled: false
  - use: ./tea.mjs
    ${entry}
`,
      'redact.mjs': pluginModule('redact'),
      'tea.mjs': pluginModule('tea'),
    });
    const { agent, warnings } = await loadAgent({ cwd: project.directory });
    await agent.close();
    return warnings.flatMap((warning) => brief(project, warning));
  }

  it('to nobody is a warning with its place and the nearest name', async () => {
    expect(await warningsOf('outside: [redact, redatc]')).toEqual([
      'ORDER_TARGET ./tea.mjs shallot.config.yaml:7:23 "outside" names "redatc", which is not a plugin of this agent, so it has no effect. Did you mean "redact"?',
    ]);
    expect(await warningsOf('inside: [nobody]')).toEqual([
      'ORDER_TARGET ./tea.mjs shallot.config.yaml:7:14 "inside" names "nobody", which is not a plugin of this agent, so it has no effect. Fix it, or remove it.',
    ]);
  });

  it('to the plugin itself is a warning', async () => {
    expect(await warningsOf('id: milk\n    outside: [milk]')).toEqual([
      'ORDER_TARGET milk shallot.config.yaml:8:15 "outside" names "milk", which is the plugin itself, so it has no effect. Fix it, or remove it.',
    ]);
    expect(await warningsOf('outside: [tea]')).toHaveLength(1);
  });

  it('to a plugin that is disabled is none', async () => {
    expect(await warningsOf('outside: [gone]')).toEqual([]);
  });
});
