import { rmSync, utimesSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import {
  brief,
  errorOf,
  makeProject,
  modelModule,
  pluginModule,
  pluginPackage,
  type TestProject,
} from '../../test/test-project.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { loadAgent, type LoadedAgent } from './load-agent.ts';

const yaml = (plugins: string, more = ''): Record<string, string> => ({
  'shallot.config.yaml': `model: ./model.mjs\nplugins: [${plugins}]\n${more}`,
});

/** A plugin whose instructions say which version of it there is. */
const saying = (text: string, more = ''): string =>
  pluginModule(
    'saying',
    `hooks.beforeModel.tap('say', (request) => ({ ...request, instructions: '${text}' })); ${more}`,
  );

/** A model that answers with its instructions. */
const parrot = modelModule
  .replace('async () =>', 'async ({ instructions }) =>')
  .replace("'Hello.'", 'instructions');

async function load(
  files: Readonly<Record<string, string>>,
  options: object = {},
): Promise<{ readonly project: TestProject; readonly loaded: LoadedAgent }> {
  const project = makeProject({ 'model.mjs': parrot, ...files });
  return { project, loaded: await loadAgent({ cwd: project.directory, ...options }) };
}

async function answerOf({ agent }: LoadedAgent, sessionId?: string): Promise<string> {
  const { text } = await agent.run('Hello?', sessionId === undefined ? {} : { sessionId });
  return text;
}

function warningsOf(project: TestProject, { warnings }: LoadedAgent): string[] {
  return warnings.flatMap((warning) => brief(project, warning));
}

describe('a reload', () => {
  it('gives a new agent over the same store, by the config and the files as they are now', async () => {
    const { project, loaded } = await load({
      ...yaml('./saying.ts'),
      'saying.ts': `import { text } from './text.ts';\nimport more from './more.json' with { type: 'json' };\n${saying('').replace("instructions: ''", 'instructions: text + more.text')}`,
      'text.ts': `export const text: string = 'one';`,
      'more.json': '{ "text": "!" }',
    });
    expect(await answerOf(loaded, 'tea')).toBe('one!');

    project.write({ 'text.ts': `export const text: string = 'two';`, 'more.json': '{ "text": "?" }' });
    const second = await loaded.reload();
    expect(await answerOf(second, 'tea')).toBe('two?');
    expect((await second.store.load('tea'))?.messages).toHaveLength(4);

    project.write({ ...yaml('', 'name: bee\ninstructions: three\n') });
    const third = await second.reload();
    expect(await answerOf(third, 'tea')).toBe('three');
    expect(third.agent.name).toBe('bee');
    expect([third.store, third.config.config.plugins]).toEqual([loaded.store, []]);
    expect(warningsOf(project, third)).toEqual([]);
    await third.agent.close();
    await Promise.all([second.retired, third.retired]);
  });

  it('keeps the agent when the edit does not load, and says why', async () => {
    const { project, loaded } = await load({ ...yaml('./saying.mjs'), 'saying.mjs': saying('one') });
    const refused: string[] = [];
    for (const [files, back] of [
      [{ 'shallot.config.yaml': 'model: [' }, yaml('./saying.mjs')],
      [yaml('./saying.mjs, ./gone.mjs'), yaml('./saying.mjs')],
      [{ 'saying.mjs': saying('two', `throw new Error('no tea');`) }, { 'saying.mjs': saying('one') }],
    ] as const) {
      project.write(files);
      refused.push(...brief(project, await errorOf(loaded.reload())));
      expect(await answerOf(loaded)).toBe('one');
      project.write(back);
    }
    expect(refused).toEqual([
      expect.stringMatching(/^CONFIG_SYNTAX shallot\.config\.yaml:1/),
      expect.stringMatching(
        /^MODULE_NOT_FOUND \.\/gone\.mjs shallot\.config\.yaml:2:25 gone\.mjs does not exist/,
      ),
      'PLUGIN_SETUP_FAILED saying shallot.config.yaml:2:11 setup failed: no tea',
    ]);
    const second = await loaded.reload();
    expect(await answerOf(second)).toBe('one');
    await second.agent.close();
  });

  it('lets the agent before finish its runs with its own plugins, begins none on it, and then closes it', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const stopped: string[] = [];
    const noting = definePlugin({
      name: 'noting',
      setup: ({ onStop }) => onStop(() => void stopped.push('stopped')),
    })();
    const model = scriptedModel([
      async ({ instructions }) => {
        ask();
        await released;
        return { toolCalls: [], text: `first ${instructions}` };
      },
      ({ instructions }) => ({ text: `second ${instructions}` }),
    ]);
    const { project, loaded } = await load(
      { ...yaml('./saying.mjs'), 'saying.mjs': saying('one') },
      // The files change while the run is in progress.
      { model, plugins: [noting], onChangedFiles: () => true },
    );
    const running = loaded.agent.run('Hello?', { sessionId: 'tea' });
    await asked;
    project.write({ 'saying.mjs': saying('two') });
    const second = await loaded.reload();
    let isRetired = false;
    void second.retired.then(() => (isRetired = true));

    expect(await errorOf(loaded.agent.run('Again?'))).toMatchObject({ code: 'AGENT_CLOSED' });
    expect((await second.agent.run('And you?', { sessionId: 'milk' })).text).toBe('second two');
    expect([isRetired, stopped]).toEqual([false, []]);
    release();
    expect((await running).text).toBe('first one');
    await second.retired;
    expect(stopped).toEqual(['stopped']);
    await second.agent.close();
    expect(stopped).toEqual(['stopped', 'stopped']);
  });

  it('closes the store, and calls onClose, with the last agent only; that ends the ones before too', async () => {
    const closed: string[] = [];
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const { project, loaded } = await load(
      {
        ...yaml('', 'store: ./store.mjs\n'),
        'store.mjs': `const method = async () => undefined;
export default () => ({ load: method, commit: async () => 1, renew: async () => true, list: method, delete: method, requestStop: method, close: async () => { globalThis.shallotStoreClosed = (globalThis.shallotStoreClosed ?? 0) + 1; } });`,
      },
      {
        log: 'silent',
        onChangedFiles: () => true,
        model: scriptedModel([() => (ask(), { chunks: ['One '], stall: true })]),
        onClose: () => void closed.push('closed'),
      },
    );
    const closings = (): unknown => Reflect.get(globalThis, 'shallotStoreClosed');
    const running = loaded.agent.run('Hello?', { sessionId: 'tea' }).catch((error: unknown) => error);
    await asked;
    project.write(yaml('', 'store: ./store.mjs\nname: b\n'));
    const second = await loaded.reload();
    expect([closed, closings()]).toEqual([[], undefined]);
    await second.agent.close();
    expect(await running).toMatchObject({ code: 'RUN_ABORTED' });
    await second.retired;
    expect([closed, closings()]).toEqual([['closed'], 1]);
    Reflect.deleteProperty(globalThis, 'shallotStoreClosed');
  });

  it('is refused on an agent that was reloaded or closed; two at once come one after the other', async () => {
    const { loaded } = await load(yaml(''));
    const [one, other] = await Promise.allSettled([loaded.reload(), loaded.reload()]);
    expect(other).toMatchObject({ status: 'rejected', reason: { code: 'AGENT_CLOSED' } });
    if (one.status === 'rejected') throw one.reason;
    await one.value.agent.close();
    const error = await errorOf(one.value.reload());
    expect(error).toMatchObject({ code: 'AGENT_CLOSED', message: 'The agent was closed. Load a new one.' });
  });

  it('that comes too late closes what it has made', async () => {
    const { project, loaded } = await load({ ...yaml(''), 'slow.mjs': pluginModule('slow') });
    project.write({
      ...yaml('./slow.mjs'),
      'slow.mjs': pluginModule('slow', `globalThis.shallotSetUp(); await globalThis.shallotGo;`),
    });
    const { promise: setUp, resolve: isSetUp } = Promise.withResolvers<void>();
    const { promise: go, resolve: goOn } = Promise.withResolvers<void>();
    Object.assign(globalThis, { shallotSetUp: isSetUp, shallotGo: go });
    const reloading = errorOf(loaded.reload());
    await setUp;
    await loaded.agent.close();
    goOn();
    expect(await reloading).toMatchObject({ code: 'AGENT_CLOSED' });
  });

  it('reads the .env anew, also what a program has made part of its environment', async () => {
    const environment: Record<string, string | undefined> = { OTHER: 'shell' };
    const { project, loaded } = await load(
      {
        ...yaml('', 'instructions: { $env: SAID }\nname: { $env: OTHER }\n'),
        '.env': 'SAID=one\nOTHER=file\n',
      },
      {
        env: environment,
        onEnvFile: ({ values }: { readonly values: object }) =>
          Object.assign(environment, { ...values, ...environment }),
      },
    );
    expect([await answerOf(loaded), loaded.agent.name]).toEqual(['one', 'shell']);
    project.write({ '.env': 'SAID=two\nOTHER=file\n' });
    const second = await loaded.reload();
    expect([await answerOf(second), second.agent.name]).toEqual(['two', 'shell']);
    await second.agent.close();
  });

  it('keeps what the program gave: its store, tools and plugins', async () => {
    const store = memoryStore();
    const extra = definePlugin({ name: 'extra', setup() {} })();
    const { loaded } = await load(yaml(''), { store, plugins: [extra], name: 'mine' });
    const second = await loaded.reload();
    expect(second.store).toBe(store);
    expect([second.agent.name, second.agent.plugins.map(({ id }) => id)]).toEqual(['mine', ['extra']]);
    await second.agent.close();
  });
});

describe('code that a reload cannot load anew', () => {
  const entry = `import { helper } from 'helper';\n${pluginModule('p').replace("name: 'p'", "name: 'p', helper")}`;
  const packageP = (version: string): Record<string, string> => ({
    ...pluginPackage('shallot-plugin-p', {
      manifest: { version, dependencies: { helper: '*' }, shallot: { plugin: 'p' } },
    }),
    'node_modules/shallot-plugin-p/index.js': entry.replace("version: '1.0.0'", `version: '${version}'`),
  });
  const helper = (version: string): Record<string, string> => ({
    'node_modules/helper/package.json': `{ "name": "helper", "version": "${version}", "type": "module", "exports": "./index.js" }`,
    'node_modules/helper/index.js': 'export const helper = 1;',
  });

  it('is a package that was replaced: it runs on as it was, and is named with its versions', async () => {
    const { project, loaded } = await load({ ...yaml('p'), ...packageP('1.0.0'), ...helper('2.0.0') });
    project.write({ ...packageP('1.1.0'), ...helper('3.0.0') });
    const second = await loaded.reload();
    expect(second.agent.plugins).toMatchObject([{ id: 'p', version: '1.0.0' }]);
    const stays =
      'It stays as it was imported, because Node cannot unload it. Restart the process to load it.';
    expect(warningsOf(project, second)).toEqual([
      `RESTART_NEEDED shallot.config.yaml shallot-plugin-p 1.0.0 was replaced by 1.1.0 (node_modules/shallot-plugin-p). ${stays}`,
      `RESTART_NEEDED shallot.config.yaml helper 2.0.0 was replaced by 3.0.0 (node_modules/helper). ${stays}`,
    ]);
    await second.agent.close();
    const again = await loadAgent({ cwd: project.directory });
    expect(again.agent.plugins).toMatchObject([{ id: 'p', version: '1.0.0' }]);
    await again.agent.close();
  });

  it('runs on when the files of the package have moved', async () => {
    const { project, loaded } = await load({ ...yaml('p'), ...packageP('1.0.0'), ...helper('2.0.0') });
    rmSync(project.path('node_modules/shallot-plugin-p/index.js'));
    const moved = { version: '2.0.0', exports: './new.js', shallot: { plugin: 'p', api: '^9.0.0' } };
    project.write({
      'node_modules/shallot-plugin-p/package.json': JSON.stringify({ name: 'shallot-plugin-p', ...moved }),
      'node_modules/shallot-plugin-p/new.js': entry,
    });
    const second = await loaded.reload();
    expect(second.agent.plugins).toMatchObject([{ id: 'p', version: '1.0.0' }]);
    expect(second.warnings).toMatchObject([{ code: 'RESTART_NEEDED' }]);
    await second.agent.close();
  });

  it('is a package with an edited file, which is named', async () => {
    const { project, loaded } = await load({ ...yaml('p'), ...packageP('1.0.0'), ...helper('2.0.0') });
    const later = new Date(Date.now() + 10_000);
    utimesSync(project.path('node_modules/helper/index.js'), later, later);
    const second = await loaded.reload();
    expect(warningsOf(project, second)).toEqual([
      expect.stringContaining('helper 2.0.0 has changed (index.js in node_modules/helper). It stays'),
    ]);
    await second.agent.close();
  });

  it('is what CommonJS has required', async () => {
    const files = {
      ...yaml('./p.cjs'),
      'p.cjs': `require('./part.cjs');\n${pluginModule('p').replace('export default', 'module.exports =')}`,
      'part.cjs': '',
    };
    const { project, loaded } = await load(files);
    project.write({ 'part.cjs': '// longer' });
    const second = await loaded.reload();
    expect(warningsOf(project, second)).toEqual([
      expect.stringContaining('RESTART_NEEDED shallot.config.yaml part.cjs has changed. It stays'),
    ]);
    await second.agent.close();
  });

  it('is the store', async () => {
    const { project, loaded } = await load(yaml('', 'store: memory\n'));
    project.write(yaml('', 'store: { use: sqlite, path: a.db }\n'));
    const second = await loaded.reload();
    expect(warningsOf(project, second)).toEqual([
      expect.stringMatching(
        /^RESTART_NEEDED shallot\.config\.yaml:3:8 The store of the config has changed\./,
      ),
    ]);
    expect(second.store).toBe(loaded.store);
    await second.agent.close();
  });
});
