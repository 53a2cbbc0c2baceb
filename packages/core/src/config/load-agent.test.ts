import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import {
  brief,
  errorOf,
  evaluator,
  makeProject,
  modelModule,
  pluginModule,
  pluginPackage,
  toolModule,
  type TestProject,
} from '../../test/test-project.ts';
import { isShallotError } from '../base/errors.ts';
import { defineTool } from '../contract/tool.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { loadAgent } from './load-agent.ts';
import { loadStore } from './load-store.ts';

const model = { 'model.mjs': modelModule };

async function errorsOf(project: TestProject): Promise<string[]> {
  return brief(project, await errorOf(loadAgent({ cwd: project.directory })));
}

/** The errors of a project whose config has these plugins, and a model. */
async function pluginErrors(plugins: string, files: Record<string, string> = {}): Promise<string[]> {
  return errorsOf(
    makeProject({ ...model, ...files, 'shallot.config.yaml': `model: ./model.mjs\nplugins:\n${plugins}` }),
  );
}

async function loadProject(files: Record<string, string>): Promise<{
  readonly project: TestProject;
  readonly loaded: Awaited<ReturnType<typeof loadAgent>>;
}> {
  const project = makeProject({ ...model, ...files });
  const loaded = await loadAgent({ cwd: project.directory });
  return { project, loaded };
}

describe('loadAgent', () => {
  it('takes a JSON config that names its schema, which is nothing of the agent', async () => {
    const config = { $schema: './node_modules/x.json', model: './model.mjs', name: 'bee', claimMs: 20_000.5 };
    const { loaded } = await loadProject({ 'shallot.config.json': JSON.stringify(config) });
    await using agent = loaded.agent;
    expect(agent.name).toBe('bee');
  });

  it('tells a plugin the directory that lists it, and the environment with the variables of .env', async () => {
    const told = pluginModule(
      'told',
      'globalThis.told = { directory, env: [env.SHALLOT_TEST_A, env.SHALLOT_TEST_B] };',
    ).replace('{ hooks, files }', '{ directory, env }');
    const project = makeProject({
      'shallot.config.yaml': 'model: ./model.mjs\nextends: ./base/shallot.base.yaml\n',
      'base/shallot.base.yaml': 'plugins: [./told.mjs]\n',
      'base/told.mjs': told,
      '.env': 'SHALLOT_TEST_A=file\nSHALLOT_TEST_B=file\n',
      'model.mjs': modelModule,
    });
    const { agent } = await loadAgent({ cwd: project.directory, env: { SHALLOT_TEST_A: 'process' } });
    await agent.close();
    expect(Reflect.get(globalThis, 'told')).toEqual({
      directory: project.path('base'),
      env: ['process', 'file'],
    });
    Reflect.deleteProperty(globalThis, 'told');
  });

  describe('a model that a plugin is given', () => {
    const asks = pluginModule(
      'asks',
      'if ((await resolveModel(options.model)).id !== "test/small") throw 0;',
    ).replace(
      'async setup({ hooks, files })',
      `options: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
       async setup({ options, resolveModel })`,
    );
    const errorsWith = (options: string): Promise<string[]> =>
      pluginErrors(`  - use: ./plugins/asks.mjs\n    options: ${options}\n`, { 'plugins/asks.mjs': asks });

    it('is found like the config’s own, from the file that lists the plugin', async () => {
      const { loaded } = await loadProject({
        'shallot.config.yaml':
          'model: ./model.mjs\nplugins: [{ use: ./plugins/asks.mjs, options: { model: ./small.mjs } }]\n',
        'plugins/asks.mjs': asks,
        'small.mjs': modelModule.replace('test/model', 'test/small'),
      });
      const fork = await loaded.agent.fork();
      expect(fork.plugins.map(({ id }) => id)).toEqual(['asks']);
      await fork.close();
      await loaded.agent.close();
    });

    it.each([
      ['{ model: small.mjs }', 'CONFIG_INVALID', '4:23', 'if it is a file'],
      ['{ model: ./nowhere.mjs }', 'MODULE_NOT_FOUND', '4:23', 'nowhere.mjs'],
      ['{ model: anthropic/claude }', 'MODULE_NOT_FOUND', '4:23', '@shallot/model-ai-sdk'],
      ['{ model: { provider: ollama } }', 'CONFIG_INVALID', '4:23', 'model.model is missing'],
    ])('is an error with its place when it is wrong: %s', async (options, code, place, what) => {
      const [error, ...others] = await errorsWith(options);
      expect(error).toContain(`${code} asks shallot.config.yaml:${place}`);
      expect(error).toContain(what);
      expect(others).toEqual([]);
    });
  });

  describe('a module that is never ready', () => {
    const hangs = 'await new Promise(() => {});';
    const late = (what: string): string => `${what} was not ready within 50 ms`;

    it('is an error with its place, and so are the others: plugin, tool and model', async () => {
      const project = makeProject({
        'shallot.config.yaml':
          'startTimeoutMs: 50\nmodel: ./model.mjs\ntools: [./tool.mjs]\nplugins:\n  - use: ./stuck.mjs\n    id: slow\n',
        'model.mjs': 'export default () => new Promise(() => {});',
        'tool.mjs': hangs,
        'stuck.mjs': hangs,
      });
      const errors = await errorsOf(project);
      expect(errors.map((line) => line.replace(/ms: .*$/, 'ms')).toSorted()).toEqual([
        `MODULE_FAILED shallot.config.yaml:2:8 ${late('The model')}`,
        `MODULE_FAILED shallot.config.yaml:3:9 ${late('tool.mjs')}`,
        `MODULE_FAILED slow shallot.config.yaml:5:10 ${late('stuck.mjs')}`,
      ]);
    });

    it('is left out with a warning when it is an optional plugin', async () => {
      const project = makeProject({
        'shallot.config.yaml': 'startTimeoutMs: 50\nplugins:\n  - { use: ./stuck.mjs, optional: true }\n',
        'stuck.mjs': hangs,
      });
      const loaded = await loadAgent({ cwd: project.directory, model: scriptedModel([]) });
      expect(loaded.warnings).toMatchObject([{ code: 'MODULE_FAILED' }]);
      await loaded.agent.close();
    });

    it('is an error when it is the store, also where nothing else is needed', async () => {
      const project = makeProject({
        'shallot.config.yaml': 'store: ./store.mjs\nstartTimeoutMs: 50\n',
        'store.mjs': hangs,
      });
      const options = { cwd: project.directory, model: scriptedModel([]) };
      for (const error of [await errorOf(loadAgent(options)), await errorOf(loadStore(options))]) {
        expect(brief(project, error)).toEqual([
          expect.stringContaining(`MODULE_FAILED shallot.config.yaml:1:8 ${late('The store')}`),
        ]);
      }
    });

    it('is an error when it is the config', async () => {
      const project = makeProject({ 'shallot.config.mjs': 'export default new Promise(() => {});' });
      const error = await errorOf(loadAgent({ cwd: project.directory, startTimeoutMs: 50 }));
      expect(brief(project, error)).toEqual([
        expect.stringContaining(`CONFIG_FAILED shallot.config.mjs ${late('The config')}`),
      ]);
      expect(error).toMatchObject({
        message: expect.stringContaining('pass a higher startTimeoutMs to loadAgent') as string,
      });
    });
  });

  it('says of a plugin that throws in a run where the config lists it', async () => {
    const { project, loaded } = await loadProject({
      'shallot.config.yaml': 'model: ./model.mjs\nplugins:\n  - use: ./bad.mjs\n',
      'bad.mjs': pluginModule('bad', "hooks.beforeModel.tap('break', () => { throw new Error('no'); });"),
    });
    const error = await errorOf(loaded.agent.run('hello'));
    expect(brief(project, error)).toEqual([
      'PLUGIN_FAILED bad shallot.config.yaml:3:10 beforeModel of the plugin bad threw: no',
    ]);
    await loaded.agent.close();
  });

  it('joins the parts of the instructions, in their order', async () => {
    const { loaded } = await loadProject({
      'shallot.config.yaml': `
model: ./model.mjs
instructions: [{ file: ./style.md }, { text: Answer in French. }]
`,
      'model.mjs': `export default { id: 'echo', generate: async ({ instructions }) => ({
        message: { role: 'assistant', content: [{ type: 'text', text: instructions }] }, finish: 'stop',
      }) };`,
      'style.md': 'Be kind.\n\n',
    });
    const { text } = await loaded.agent.run('Hi');
    expect(text).toBe('Be kind.\n\nAnswer in French.');
  });

  it.each([
    ['{ file: ./gone.md }', /MODULE_NOT_FOUND.*yaml:2:40|gone\.md/],
    ['{ text: ./style.md }', /write \{ file: \.\/style\.md \}/],
    ['{}', /instructions/],
  ])('refuses a part of the instructions that says nothing: %s', async (part, why) => {
    const project = makeProject({
      'shallot.config.yaml': `model: offline\ninstructions: [{ text: Be kind. }, ${part}]\n`,
      'style.md': 'Be kind.',
    });
    expect(JSON.stringify(await errorsOf(project))).toMatch(why);
  });

  it('makes the agent that a config describes', async () => {
    const { project, loaded } = await loadProject({
      'shallot.config.yaml': `
name: bee
model: ./model.mjs
instructions: { file: ./instructions.md }
tools: ['./tools/*.ts', '@acme/tools']
plugins:
  - memory
  - use: ./plugins/audit.ts
    priority: 70
  - use: tickets
    id: helpdesk
    inside: [memory]
  - use: gone
    enabled: false
`,
      'instructions.md': '\uFEFFBe kind.\n\n',
      'tools/b.ts': toolModule('second'),
      'tools/a.ts': toolModule('first'),
      'tools/a.test.ts': 'throw new Error("a test was imported")',
      'node_modules/@acme/tools/package.json':
        '{ "name": "@acme/tools", "type": "module", "main": "./main.js" }',
      'node_modules/@acme/tools/main.js': toolModule('third'),
      'plugins/audit.ts': pluginModule('audit'),
      ...pluginPackage('@shallot/plugin-memory'),
      ...pluginPackage('shallot-plugin-tickets', { plugin: 'tickets' }),
    });
    const { agent, warnings, path, directory } = loaded;
    expect({ name: agent.name, model: agent.model.id, warnings }).toEqual({
      name: 'bee',
      model: 'test/model',
      warnings: [],
    });
    expect({ path, directory }).toEqual({
      path: project.path('shallot.config.yaml'),
      directory: project.directory,
    });
    expect(agent.tools.list().map(({ name }) => name)).toEqual(['first', 'second', 'third']);
    expect(
      agent.plugins.map(({ id, priority, source }) => ({ id, priority: priority.beforeModel, source })),
    ).toEqual([
      {
        id: 'audit',
        priority: 70,
        source: { from: project.path('plugins/audit.ts'), at: { file: path, line: 8, column: 10 } },
      },
      {
        id: 'memory',
        priority: 25,
        source: { from: '@shallot/plugin-memory', at: { file: path, line: 7, column: 5 } },
      },
      {
        id: 'helpdesk',
        priority: 25,
        source: { from: 'shallot-plugin-tickets', at: { file: path, line: 10, column: 10 } },
      },
    ]);
    await agent.close();
  });

  it('takes models, tools, plugins and stores of a config that is code', async () => {
    const { loaded } = await loadProject({
      'shallot.config.ts': `
import model from './model.mjs';
import factory from './plugin.ts';
import { own } from './tool.ts';
export default {
  model,
  tools: [own],
  plugins: [factory(), { use: factory, id: 'again' }],
  log: 'silent',
};`,
      'plugin.ts': pluginModule('layer'),
      'tool.ts': toolModule('own'),
    });
    expect(loaded.agent.plugins.map(({ id }) => id)).toEqual(['layer', 'again']);
    expect(loaded.agent.tools.list().map(({ name }) => name)).toEqual(['own']);
    await loaded.agent.close();
  });

  it('takes a plugin made with the installed core', async () => {
    const project = makeProject({
      ...model,
      'shallot.config.yaml': 'model: ./model.mjs\nplugins: [./plugin.ts]\n',
      'plugin.ts': `
import { definePlugin } from '@shallot/core';
export default definePlugin({ name: 'mine', setup() {} });`,
    });
    mkdirSync(project.path('node_modules/@shallot'), { recursive: true });
    symlinkSync(join(import.meta.dirname, '..', '..'), project.path('node_modules/@shallot/core'));
    const { agent } = await loadAgent({ cwd: project.directory });
    expect(agent.plugins).toMatchObject([{ id: 'mine' }]);
    await agent.close();
  });

  it('keeps what plugins write for themselves out of the way', async () => {
    const { project, loaded } = await loadProject({
      'shallot.config.yaml': 'model: ./model.mjs\nplugins: [./writer.mjs]\n',
      'notes.md': 'Hello',
      'writer.mjs': pluginModule(
        'writer',
        `const { text } = await files.readText('/notes.md');
         await files.write('/copy.md', text);
         await files.write('/conversation_history/a.md', text);`,
      ),
    });
    const there = ['copy.md', '.shallot/conversation_history/a.md', 'conversation_history'].map((name) =>
      existsSync(project.path(name)),
    );
    expect(there).toEqual([true, true, false]);
    await loaded.agent.close();
  });

  it('lets the caller replace and add parts, and does not look for what is replaced', async () => {
    const project = makeProject({
      ...pluginPackage('memory'),
      'shallot.config.yaml': 'name: bee\nmodel: ./gone.ts\nstore: ./gone.ts\nplugins: [memory]\n',
      'tool.mjs': toolModule('extra'),
      'plugin.mjs': pluginModule('extra'),
    });
    const other = makeProject({
      ...model,
      'shallot.config.mjs': `
import model from './model.mjs';
import make from '${project.path('plugin.mjs')}';
export default { model, plugins: [make()] };`,
    });
    const source = await loadAgent({ cwd: other.directory });
    const store = memoryStore();
    const { agent } = await loadAgent({
      cwd: project.directory,
      model: source.agent.model,
      store,
      name: 'wasp',
      plugins: [
        {
          use: (await import('../contract/define-plugin.ts')).definePlugin({
            name: 'added',

            setup() {},
          })(),
        },
      ],
    });
    expect({ name: agent.name, plugins: agent.plugins.map(({ id }) => id) }).toEqual({
      name: 'wasp',
      plugins: ['memory', 'added'],
    });
    await Promise.all([agent.close(), source.agent.close()]);
  });

  it('opens the default store only for a config that names none', async () => {
    const project = makeProject({
      ...model,
      'a.yaml': 'model: ./model.mjs',
      'b.yaml': 'model: ./model.mjs\nstore: memory',
    });
    const asked: string[] = [];
    const defaultStore = (directory: string): ReturnType<typeof memoryStore> => {
      asked.push(directory);
      return memoryStore();
    };
    for (const path of ['a.yaml', 'b.yaml']) {
      const { agent } = await loadAgent({ cwd: project.directory, path, defaultStore });
      await agent.close();
    }
    expect(asked).toEqual([project.directory]);
  });

  it('opens a SQLite store beside the config', async () => {
    const { project, loaded } = await loadProject({
      'shallot.config.yaml': 'model: ./model.mjs\nstore: { use: sqlite, path: data/s.db }\n',
    });
    await loaded.agent.run('Hello?');
    expect(existsSync(project.path('data/s.db'))).toBe(true);
    await loaded.agent.close();
  });

  it('closes the store that it has opened when no agent comes of it', async () => {
    const project = makeProject({
      ...model,
      'shallot.config.yaml':
        'model: ./model.mjs\nstore: { use: ./store.mjs, options: { a: 1 } }\nplugins: [./bad.mjs]\n',
      'store.mjs': `
globalThis.shallotStore = [];
const method = async () => undefined;
export default (options) => {
  globalThis.shallotStore.push(options);
  const methods = { load: method, commit: method, renew: method, list: method, delete: method, requestStop: method };
  return { ...methods, close: async () => { globalThis.shallotStore.push('closed'); } };
};`,
      'bad.mjs': pluginModule('bad', 'throw new Error("no");'),
    });
    const error = await errorOf(loadAgent({ cwd: project.directory, log: 'silent' }));
    expect(error).toMatchObject({ code: 'PLUGIN_SETUP_FAILED', plugin: 'bad' });
    expect(Reflect.get(globalThis, 'shallotStore')).toEqual([{ a: 1 }, 'closed']);
  });
});

it('gives a run files in the directory that the program names, protected as in that of the config', async () => {
  const project = makeProject({
    ...model,
    'shallot.config.yaml': 'model: ./model.mjs\nunlock: [.envrc]\n',
    'a.md': 'config',
    'other/a.md': 'other',
  });
  const read: unknown[] = [];
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    async execute(_args, { files }) {
      read.push((await files.readText('/a.md')).text);
      await files
        .write('/.git/config', '')
        .catch((error: unknown) => read.push(isShallotError(error) && error.code));
      return 'ok';
    },
  });
  const { agent } = await loadAgent<{ readonly directory?: string }>({
    cwd: project.directory,
    model: scriptedModel([
      { toolCalls: [{ name: 'look' }] },
      { text: 'Done.' },
      { toolCalls: [{ name: 'look' }] },
      { text: 'Done.' },
    ]),
    tools: [look],
    plugins: [evaluator],
    filesOfRun: ({ context }, inDirectory) =>
      context?.directory === undefined ? undefined : inDirectory(context.directory),
  });
  await agent.run('Go');
  await agent.run('Go', { context: { directory: project.path('other') } });
  await agent.close();
  expect(read).toEqual(['config', 'FILE_PROTECTED', 'other', 'FILE_PROTECTED']);
});

it('warns of files in a directory that is not there', async () => {
  const { loaded, project } = await loadProject({
    'shallot.config.yaml': 'model: ./model.mjs\nfiles: ./ntoes\n',
    'notes/a.md': '',
  });
  expect(loaded.warnings.flatMap((warning) => brief(project, warning))).toEqual([
    'FILE_NOT_FOUND shallot.config.yaml:2:8 files is "./ntoes", which does not exist; it is created when the first file is written. Did you mean notes?',
  ]);
  await loaded.agent.close();
});

describe('loadStore', () => {
  it('opens the store that the agent uses, without its model, tools and plugins', async () => {
    const { project, loaded } = await loadProject({
      'shallot.config.yaml': 'model: ./model.mjs\nplugins: []\nstore: { use: sqlite, path: data/s.db }\n',
    });
    await loaded.agent.run('Hello?', { sessionId: 'tea' });
    expect((await loaded.store.load('tea'))?.id).toBe('tea');
    await loaded.agent.close();
    project.write({
      'shallot.config.yaml':
        'model: { use: ./gone.mjs, options: { key: { $env: SHALLOT_NO_KEY } } }\nplugins: [gone]\nstore: { use: sqlite, path: data/s.db }\n',
    });
    const { store, path } = await loadStore({ cwd: project.directory });
    expect((await store.load('tea'))?.id).toBe('tea');
    expect(path).toBe(project.path('shallot.config.yaml'));
    await store.close?.();
  });

  it('needs what its own path is made of', async () => {
    const config = 'store: { use: sqlite, path: { $env: SHALLOT_NO_PATH } }\n';
    const project = makeProject({ 'shallot.config.yaml': config });
    expect(await errorOf(loadStore({ cwd: project.directory, env: {} }))).toMatchObject({
      code: 'CONFIG_ENV',
    });
  });

  it('opens the default store for a config that names none', async () => {
    const project = makeProject({ 'shallot.config.yaml': 'model: ./gone.mjs\n' });
    const store = memoryStore();
    const opened = await loadStore({
      cwd: project.directory,
      defaultStore: (directory) => (directory === project.directory ? store : memoryStore()),
    });
    expect(opened.store).toBe(store);
  });
});

describe('names of plugins', () => {
  it.each([
    ['memory', 'memory'],
    ['memory', '@shallot/plugin-memory'],
    ['memory', 'shallot-plugin-memory'],
    ['@acme/memory', '@acme/memory'],
    ['@acme/memory', '@acme/shallot-plugin-memory'],
    ['@shallot/plugin-memory', '@shallot/plugin-memory'],
  ])('%s is found as the package %s', async (use, name) => {
    const { loaded } = await loadProject({
      'shallot.config.yaml': `model: ./model.mjs\nplugins: ["${use}"]\n`,
      ...pluginPackage(name, { plugin: 'memory' }),
    });
    expect(loaded.agent.plugins).toMatchObject([{ id: 'memory', source: { from: name } }]);
    await loaded.agent.close();
  });

  it('are looked for from the file that mentions them', async () => {
    const { loaded } = await loadProject({
      'shallot.config.yaml':
        'extends: "@acme/agents"\nmodel: ./model.mjs\nplugins:\n  - use: memory\n    priority: 60\n',
      'node_modules/@acme/agents/package.json': '{ "name": "@acme/agents", "exports": "./agent.yaml" }',
      'node_modules/@acme/agents/agent.yaml': 'plugins: [memory, ./local.mjs]\n',
      'node_modules/@acme/agents/local.mjs': pluginModule('local'),
      ...Object.fromEntries(
        Object.entries(pluginPackage('shallot-plugin-memory')).map(([name, content]) => [
          `node_modules/@acme/agents/${name}`,
          content,
        ]),
      ),
    });
    expect(loaded.agent.plugins).toMatchObject([
      { id: 'memory', priority: { beforeModel: 60 } },
      { id: 'local' },
    ]);
    await loaded.agent.close();
  });

  it('may be that of the package itself', async () => {
    const { loaded } = await loadProject({
      'package.json':
        '{ "name": "shallot-plugin-mine", "type": "module", "exports": "./index.js", "shallot": { "plugin": "mine" } }',
      'index.js': pluginModule('mine'),
      'shallot.config.yaml': 'model: ./model.mjs\nplugins: [mine]\n',
    });
    expect(loaded.agent.plugins).toMatchObject([{ id: 'mine' }]);
    await loaded.agent.close();
  });
});

describe('bad entries of the list of plugins', () => {
  it.each([
    [
      'missing packages',
      '  - memory\n  - use: "@acme/audit"\n  - use: shallot-plugin-x\n',
      { 'yarn.lock': '' },
    ],
    ['a missing file', '  - use: ./plugins/audti.ts\n', { 'plugins/audit.ts': '' }],
    ['a file without its ./', '  - plugins/audit.ts\n', { 'plugins/audit.ts': '' }],
    ['a directory', '  - ./plugins\n', { 'plugins/index.ts': '' }],
    [
      'two packages of one short name',
      '  - memory\n',
      { ...pluginPackage('memory'), ...pluginPackage('shallot-plugin-memory') },
    ],
    [
      'a package that needs another API',
      '  - use: memory\n',
      pluginPackage('shallot-plugin-memory', {
        manifest: { shallot: { plugin: 'memory', api: '^2.0.0' }, exports: './throws.js' },
      }),
    ],
    [
      'a package that was not built',
      '  - memory\n',
      pluginPackage('shallot-plugin-memory', { manifest: { exports: './dist/index.js' } }),
    ],
    ['a package without such an export', '  - shallot-plugin-a/extra\n', pluginPackage('shallot-plugin-a')],
    [
      'a module that is no plugin',
      '  - ./a.mjs\n',
      { 'a.mjs': 'export default () => {}; export const other = 1;' },
    ],
    [
      'a factory that is not the default',
      '  - ./a.mjs\n',
      { 'a.mjs': pluginModule('a').replace('export default', 'export const audit =') },
    ],
    ['a module that throws', '  - use: ./a.mjs\n    id: mine\n', { 'a.mjs': '\nthrow new Error("no tea");' }],
    [
      'options for a made plugin',
      '  - use: ./a.mjs\n    options: { a: 1 }\n',
      {
        'a.mjs':
          pluginModule('a')
            .replace(/\(options\) => (Object.freeze\(.*?\)), \{ definition \}\)/, '() => {}, {})')
            .replace('export default', 'const x =') +
          `export default Object.freeze({ [brand]: true, definition });`,
      },
    ],
    ['a name that is none', '  - "../"\n  - "a b"\n', {}],
  ])('%s', async (_, plugins, files: Record<string, string>) => {
    const extra = JSON.stringify(files).includes('throws.js')
      ? { 'node_modules/shallot-plugin-memory/throws.js': 'throw new Error("its code was run");' }
      : {};
    expect(await pluginErrors(plugins, { ...files, ...extra })).toMatchSnapshot();
  });

  it('are all reported together, stage by stage', async () => {
    const files = {
      'a.mjs': 'throw new Error("a")',
      'b.mjs': 'export default 1;',
      'c.ts': 'export default {',
    };
    const imported = await pluginErrors('  - ./a.mjs\n  - ./b.mjs\n  - ./c.ts\n', files);
    const found = await pluginErrors('  - ./a.mjs\n  - ./x.mjs\n  - y\n', files);
    expect({ imported, found }).toMatchSnapshot();
  });

  it('give errors of the core with their place: order, duplicates, options', async () => {
    const before = `api: '^1.0.0', outside: ['outer'], inside: ['outer']`;
    const files = {
      'a.mjs': pluginModule('a'),
      'inner.mjs': pluginModule('inner').replace(`api: '^1.0.0'`, before),
      'outer.mjs': pluginModule('outer'),
    };
    const cycle = await pluginErrors('  - ./inner.mjs\n  - ./outer.mjs\n', files);
    const twice = await pluginErrors('  - ./a.mjs\n  - ./a.mjs\n', files);
    const options = await pluginErrors('  - use: ./a.mjs\n    options: { a: 1 }\n', files);
    expect({ cycle, twice, options }).toMatchSnapshot();
  });

  it('are warnings when they are optional', async () => {
    const { project, loaded } = await loadProject({
      'shallot.config.yaml': `
model: ./model.mjs
log: silent
plugins:
  - use: gone
    optional: true
  - use: future
    optional: true
  - use: ./throws.mjs
    optional: true
  - use: ./refuses.mjs
    optional: true
  - ./good.mjs
`,
      ...pluginPackage('future', { manifest: { shallot: { api: '>=9' } } }),
      'throws.mjs': 'throw new Error("no tea");',
      'refuses.mjs': pluginModule('refuses', 'throw new Error("no");'),
      'good.mjs': pluginModule('good'),
    });
    const { agent, warnings } = loaded;
    expect(agent.plugins.map(({ id }) => id)).toEqual(['good']);
    expect(warnings.flatMap((warning) => brief(project, warning))).toMatchSnapshot();
    await agent.close();
  });
});

describe('bad models, tools, stores and instructions', () => {
  it.each([
    ['no model', 'name: a\n', {}],
    [
      'a model of a provider without its package',
      '\nmodel: anthropic/claude-sonnet-5\n',
      { 'pnpm-lock.yaml': '' },
    ],
    ['a model file that is missing', 'model: ./modle.mjs\n', {}],
    ['a model module without a model', 'model: ./a.mjs\n', { 'a.mjs': 'export default 1;' }],
    [
      'a model function that throws',
      'model: { use: ./a.mjs }\n',
      { 'a.mjs': 'export default () => {\n  throw new Error("no key");\n};' },
    ],
    ['a model function without a model', 'model: { use: ./a.mjs }\n', { 'a.mjs': 'export default () => 1;' }],
    [
      'tools that are missing',
      'model: ./model.mjs\ntools:\n  - ./tools/*.ts\n  - ./a.ts\n  - some-tools\n',
      {},
    ],
    [
      'a module without tools',
      'model: ./model.mjs\ntools: [./a.mjs]\n',
      { 'a.mjs': 'export const a = { name: "a", execute() {} };' },
    ],
    [
      'a tool that was only described',
      'model: ./model.mjs\ntools: [./a.mjs]\n',
      { 'a.mjs': `${toolModule('good')}export const raw = { name: 'raw', execute() {} };` },
    ],
    [
      'a tool twice',
      'model: ./model.mjs\ntools: [./a.mjs, ./b.mjs]\n',
      { 'a.mjs': toolModule('same'), 'b.mjs': toolModule('same') },
    ],
    [
      'a tool twice in one glob',
      'model: ./model.mjs\ntools: [./tools/*.mjs]\n',
      { 'tools/a.mjs': toolModule('same'), 'tools/b.mjs': toolModule('same') },
    ],
    ['files in a file', 'model: ./model.mjs\nfiles: ./a.md\n', { 'a.md': '' }],
    [
      'a store module without a store',
      'model: ./model.mjs\nstore: ./a.mjs\n',
      { 'a.mjs': 'export default {};' },
    ],
    ['a path for a store without files', 'model: ./model.mjs\nstore: { use: memory, path: a.db }\n', {}],
    ['instructions that are missing', 'model: ./model.mjs\ninstructions: { file: ./a.md }\n', {}],
  ])('%s', async (_, text, files: Record<string, string>) => {
    expect(
      await errorsOf(makeProject({ ...model, ...files, 'shallot.config.yaml': text })),
    ).toMatchSnapshot();
  });

  it('take the model of a provider from the package for that', async () => {
    const { loaded, project } = await loadProject({
      'shallot.config.yaml': 'model: acme/large\n',
      'node_modules/@shallot/model-ai-sdk/package.json':
        '{ "name": "@shallot/model-ai-sdk", "type": "module", "exports": "./index.js" }',
      'node_modules/@shallot/model-ai-sdk/index.js': `export const resolveModel = (id, { from }) => ({ id, from, generate() {} });`,
    });
    expect(loaded.agent.model).toMatchObject({ id: 'acme/large', from: project.directory });
    await loaded.agent.close();
  });
});
