import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { definePlugin, type PluginFactory, defineTool } from '@shallot/core';
import { option, optionsSchema, type PluginSetup, serviceKey } from '@shallot/core/plugin';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { manifestChecks } from './manifest-checks.ts';
import type { PluginSuite } from './plugin-suite.ts';
import { pluginChecks, testPlugin } from './test-plugin.ts';

type Setup = (plugin: PluginSetup) => void | Promise<void>;

function factoryOf(setup: Setup, api = '^1.0.0'): PluginFactory {
  return definePlugin({ name: 'subject', version: '1.0.0', api, setup });
}

/** A plugin that does something in every hook, and does it well. */
const good = definePlugin({
  name: 'good',
  version: '1.0.0',
  api: '^1.0.0',
  options: v.strictObject({
    instructions: v.optional(v.pipe(v.string(), v.description('What the model is told.')), 'Be brief.'),
  }),
  setup({ hooks, state, options, onStart, onStop }) {
    const count = state({ key: 'count', initial: () => ({ calls: 0 }) });
    let timer: NodeJS.Timeout | undefined;
    onStart(() => void (timer = setInterval(() => {}, 1000)));
    onStop(() => clearInterval(timer));
    hooks.beforeModel.tap('x', (request) => ({ ...request, instructions: options.instructions }));
    hooks.wrapModelCall.tapPromise('x', async (request, next) => {
      try {
        return await next(request);
      } finally {
        Object.freeze(request);
      }
    });
    hooks.wrapToolCall.tapPromise('x', async (call, next, { run: _ }) => next(call));
    hooks.afterModel.tap('x', (_, run) => count.update(run, ({ calls }) => ({ calls: calls + 1 })));
  },
});

await testPlugin(good);
await testPlugin(good, { options: { instructions: 'Be kind.' } });

/** Refuses more than two calls in one conversation; what it counts and decides is in `once`, or not. */
function allowance(isOnce: boolean): PluginFactory {
  return factoryOf(({ hooks, state }) => {
    const used = state<number>({ key: 'used', initial: () => 0 });
    hooks.wrapToolCall.tapPromise('allow', async (call, next, { run, once }) => {
      const allow = (): boolean => {
        if (used.get(run) >= 2) return false;
        used.update(run, (calls) => calls + 1);
        return true;
      };
      if (isOnce ? await once('allow', allow) : allow()) return next(call);
      return { content: [{ type: 'text', text: 'No more.' }], isError: true };
    });
  });
}

await testPlugin(allowance(true));

/** Returns the verdict of one check of the suite on a plugin. */
async function verdictOf<Input>(
  name: string,
  factory: PluginFactory<Input>,
  suite?: PluginSuite<Input>,
): Promise<string> {
  const check = pluginChecks(factory, suite).find((each) => each.name === name);
  if (check === undefined) return `there is no check "${name}"`;
  return check.run().then(
    () => 'passed',
    () => 'failed',
  );
}

describe('the conformance suite of plugins', () => {
  const twice = 'works twice in one agent, under two ids';
  const titles = serviceKey<string>('subject/titles');
  const tool = (name: string) =>
    defineTool({ name, description: 'Does it.', input: { type: 'object' }, execute: () => 'done' });

  it.each([
    ['a tool', factoryOf(({ tools }) => void tools.add(tool('title')))],
    ['a service', factoryOf(({ provide }) => provide(titles, 'none'))],
  ])('passes a plugin that can be there once, because of %s', async (_, factory) => {
    expect(await verdictOf(twice, factory)).toBe('passed');
  });

  it.each([
    ["has a tool of the agent's name", factoryOf(({ tools }) => void tools.add(tool('conformance_echo')))],
    [
      'fails under another id',
      factoryOf(({ id, tools }) => {
        tools.add(tool('title'));
        if (id === 'second') throw new Error('I am the first');
      }),
    ],
    [
      'brings a tool of its own twice',
      factoryOf(({ tools }) => void tools.add([tool('title'), tool('title')])),
    ],
  ])('fails a plugin that %s, however often it is there', async (_, factory) => {
    expect(await verdictOf(twice, factory)).toBe('failed');
  });

  it('leaves out what it is told to skip, and refuses to skip what is not there', () => {
    const names = pluginChecks(good, {
      skip: { 'keeps sessions apart': 'it limits all of them together' },
    }).map(({ name }) => name);
    expect(names).not.toContain('keeps sessions apart');
    expect(() => pluginChecks(good, { skip: { 'keeps session apart': '' } })).toThrow(
      '"keeps session apart"',
    );
  });

  it('registers its checks with the runner that it is given', async () => {
    const registered: string[] = [];
    await testPlugin(
      good,
      {},
      { describe: (name, body) => (registered.push(name), body()), it: (name) => registered.push(name) },
    );
    expect(registered.slice(0, 2)).toEqual([
      'the plugin good',
      'has a bounded plugin API range that includes this version',
    ]);
  });
});

describe('the checks of a manifest', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(import.meta.dirname, '..', 'node_modules', '.manifest-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function writePackage(manifest: object, code = ''): Promise<URL> {
    const path = join(folder, 'package.json');
    const whole = {
      version: '1.0.0',
      type: 'module',
      exports: { '.': './index.js' },
      peerDependencies: { '@shallot/core': '>=0.1.0' },
      shallot: { plugin: 'subject', api: '^1.0.0' },
      ...manifest,
    };
    await writeFile(path, JSON.stringify(whole));
    await writeFile(join(folder, 'index.js'), code);
    return pathToFileURL(path);
  }

  async function failuresWith(manifest: object, code = ''): Promise<string[]> {
    const checks = pluginChecks(
      factoryOf(() => {}),
      { manifest: await writePackage(manifest, code) },
    );
    const failures: string[] = [];
    for (const check of checks.slice(1, 3)) await check.run().catch(() => failures.push(check.name));
    return failures;
  }

  it('pass a package that says what the definition says', async () => {
    expect(await failuresWith({})).toEqual([]);
  });

  it.each([
    ['another version', { version: '1.0.1' }],
    ['no peer dependency on the core', { peerDependencies: {} }],
    ['a peer dependency on any core', { peerDependencies: { '@shallot/core': '*' } }],
    ['a peer dependency that shuts out later cores', { peerDependencies: { '@shallot/core': '^0.1.0' } }],
    ['no version', { version: undefined }],
    ['nothing about the plugin', { shallot: undefined }],
    ['another name', { shallot: { plugin: 'other', api: '^1.0.0' } }],
    ['CommonJS', { type: 'commonjs' }],
  ])('fail one with %s', async (_, manifest) => {
    expect(await failuresWith(manifest)).toContain('is described by its package.json');
  });

  it.each([
    ['version', 'version: manifest.version'],
    ['api', 'api: manifest.shallot.api'],
  ])('demand the %s of the definition too, and say how it gets there', async (member, advice) => {
    const { definition } = factoryOf(() => {});
    const without = { ...definition, [member]: undefined };
    const checks = manifestChecks(without, await writePackage({}));
    await expect(checks[1]?.run()).rejects.toThrow(advice);
  });

  it('tell what is not built yet from what cannot be imported', async () => {
    const exports = { '.': { types: './dist/index.d.ts', default: './dist/index.js' } };
    const { definition } = factoryOf(() => {});
    const checks = manifestChecks(definition, await writePackage({ exports }));
    await expect(checks[2]?.run()).rejects.toThrow(
      './dist/index.js, which package.json exports, is missing; build',
    );
  });

  const startOf = async (entry: unknown): Promise<void> => {
    const { definition } = factoryOf(() => {});
    const options = optionsSchema({ level: option.integer().required() });
    const factory = definePlugin({ ...definition, options, setup: () => {} });
    const manifest = await writePackage({ shallot: { plugin: 'subject', api: '^1.0.0', entry } });
    const checks = pluginChecks(factory, { manifest, options: { level: 1 } });
    await checks.find(({ name }) => name.startsWith('starts with the entry'))?.run();
  };

  it('start an agent with the entry that the package proposes, if it does', async () => {
    await expect(startOf(undefined)).resolves.toBeUndefined();
    await expect(startOf({ options: { level: 5 } })).resolves.toBeUndefined();
  });

  it.each([
    [{ options: { level: 'high' } }, 'no agent starts with'],
    [{ options: {} }, 'no agent starts with'],
    [{ options: { level: 5 }, priority: 9 }, 'and nothing else'],
    [{ options: [] }, 'and nothing else'],
    ['subject', 'and nothing else'],
  ])('fail one that proposes %j', async (entry, why) => {
    await expect(startOf(entry)).rejects.toThrow(why);
  });

  it.each([
    ['prints', 'console.log("loaded")'],
    ['adds a global', 'globalThis.subject = 1'],
    ['listens to a signal', 'process.on("SIGUSR2", () => {})'],
    ['starts a timer', 'setTimeout(() => {}, 50)'],
    ['throws', 'throw new Error("no")'],
  ])('fail one that %s when it is imported', async (_, code) => {
    expect(await failuresWith({}, code)).toEqual(['has no side effects when it is imported']);
  });
});
