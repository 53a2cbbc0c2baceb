import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { build, type Plugin as BuildPlugin } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type * as Testing from '../../../testing/src/index.ts';
import type * as Core from '../index.ts';
import type * as ForPlugins from '../plugin.ts';

/** One copy of the core, as a plugin would bundle it. */
type Copy = typeof Core & typeof ForPlugins & typeof Testing;

let folder: string;
let one: Copy;
let two: Copy;

beforeAll(async () => {
  // Inside the package, so that the bundles find their dependencies.
  folder = await mkdtemp(join(import.meta.dirname, '..', '..', 'node_modules', '.two-copies-'));
  [one, two] = await Promise.all([bundleCopy('one'), bundleCopy('two')]);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Gives a copy another version of the plugin API. */
function withApi(version: string): BuildPlugin {
  return {
    name: 'plugin-api',
    setup({ onLoad }) {
      onLoad({ filter: /\/core\/src\/contract\/plugin\.ts$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        const contents = source.replace(/(?<=pluginApi = ')[^']+/, version);
        return { contents, loader: 'ts' };
      });
    },
  };
}

async function bundleCopy(name: string, plugins: BuildPlugin[] = []): Promise<Copy> {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    stdin: {
      contents: `export * from '../index.ts'; export * from '../plugin.ts'; export * from '../../../testing/src/index.ts';`,
      resolveDir: import.meta.dirname,
      loader: 'ts',
    },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    // The tools for tests are in the copy, too, and use it.
    alias: { '@shallot/core': join(import.meta.dirname, '..') },
    logLevel: 'error',
    plugins,
  });
  // The bundle exports just what its entries do.
  return (await import(pathToFileURL(outfile).href)) as Copy;
}

describe('two copies of the core in one process', () => {
  it('are two: no class of one is that of the other', () => {
    expect(one.ShallotError).not.toBe(two.ShallotError);
  });

  it('run plugins and tools of each other', async () => {
    const trace = two.hookTrace();
    const short = two.definePlugin({ name: 'short', afterAgent: (result) => ({ ...result, text: 'short' }) });
    const look = two.defineTool({
      name: 'look',
      description: 'Looks.',
      input: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] },
      execute: (args) => args,
    });
    const model = one.scriptedModel([{ toolCalls: [{ name: 'look', args: { at: 'x' } }] }, { text: 'done' }]);
    await using agent = await one.createAgent({
      model,
      tools: [look],
      plugins: [trace.plugin('theirs', 90), short()],
    });
    const { outcome, text } = await agent.run('hello');
    expect([outcome, text]).toEqual(['completed', 'short']);
    expect(trace.lines).toHaveLength(1 + 2 * 4 + 2 + 1);
  });

  it('refuse a short plugin that brings a core with another plugin API, before its setup', async () => {
    const copies = {
      older: await bundleCopy('older', [withApi('0.9.0')]),
      newer: await bundleCopy('newer', [withApi('2.0.0')]),
    };
    const setUp: string[] = [];
    const plugins = Object.entries(copies).map(([name, { definePlugin }]) =>
      definePlugin({ name, afterAgent() {}, setup: () => void setUp.push(name) })(),
    );
    const error: unknown = await one
      .createAgent({ model: one.scriptedModel([]), plugins })
      .catch((thrown: unknown) => thrown);
    const advice = (newer: string, older: string): string =>
      `Install a newer version of ${newer}, or an older one of ${older}.`;
    const code = 'PLUGIN_INCOMPATIBLE';
    expect(error).toMatchObject({
      errors: [
        {
          code,
          plugin: 'older',
          message: `older (no version) needs the plugin API "^0.9.0"; this version of @shallot/core has ${one.pluginApi}. ${advice('older', '@shallot/core')}`,
        },
        {
          code,
          plugin: 'newer',
          message: `newer (no version) needs the plugin API "^2.0.0"; this version of @shallot/core has ${one.pluginApi}. ${advice('@shallot/core', 'newer')}`,
        },
      ],
    });
    expect(setUp).toEqual([]);
  });

  it('tell the author of an older plugin what was dropped since', async () => {
    const dropping: BuildPlugin = {
      name: 'dropped',
      setup({ onLoad }) {
        onLoad({ filter: /\/core\/src\/plugins\/dropped\.ts$/ }, async ({ path }) => {
          const table = "{ 2: [{ what: 'run.stop()', instead: 'call run.end()' }] }";
          const source = await readFile(path, 'utf8');
          return { contents: source.replace(/(?<=readonly Dropped\[\]>> = )\{\}/, table), loader: 'ts' };
        });
      },
    };
    const newer = await bundleCopy('dropping', [withApi('2.0.0'), dropping]);
    const old = one.definePlugin({ name: 'old', api: '^1.0.0', tools: [] });
    const starting = newer.createAgent({ model: newer.scriptedModel([]), plugins: [old()] });
    await expect(starting).rejects.toMatchObject({
      code: 'PLUGIN_INCOMPATIBLE',
      message: expect.stringMatching(
        /or an older one of @shallot\/core\. For its author:\n {4}plugin API 2 has no run\.stop\(\): call run\.end\(\)$/,
      ) as unknown,
    });
  });

  it('take a range that a plugin names over the core that it brings', async () => {
    const older = await bundleCopy('older-named', [withApi('0.9.0')]);
    const named = older.definePlugin({ name: 'named', api: '>=0.9.0 <2', tools: [] });
    await using agent = await one.createAgent({ model: one.scriptedModel([]), plugins: [named()] });
    expect(agent.plugins).toMatchObject([{ id: 'named' }]);
  });

  it("recognise each other's errors", async () => {
    const failing = two.definePlugin({
      name: 'failing',
      beforeModel() {
        throw new two.ShallotError('failing/NO_DISK', { message: 'The disk is full.', transient: true });
      },
    })();
    await using agent = await one.createAgent({
      log: 'silent',
      model: one.scriptedModel([]),
      plugins: [failing],
    });
    const error: unknown = await agent.run('hello').catch((thrown: unknown) => thrown);
    expect(one.isShallotError(error) && two.isShallotError(error)).toBe(true);
    expect(error).toMatchObject({ plugin: 'failing', hook: 'beforeModel', result: { outcome: 'failed' } });
    const limited = two.rateLimited();
    expect(one.isTransient(limited)).toBe(true);
    expect(one.isShallotError(limited, 'MODEL_RATE_LIMITED')).toBe(true);
  });

  it('let interrupts and aborts of each other through', async () => {
    const recognised: boolean[] = [];
    const swallowing = two.definePlugin({
      name: 'swallowing',
      async wrapToolCall(call, next) {
        try {
          return await next(call);
        } catch (error) {
          recognised.push(two.isInterrupt(error));
          if (two.isInterrupt(error)) throw error;
          return { content: [{ type: 'text', text: 'swallowed' }] };
        }
      },
    })();
    const ask = two.defineTool({
      name: 'ask',
      description: 'Asks.',
      input: { type: 'object' },
      execute: (_, { interrupt }) => interrupt({ kind: 'q', payload: 1, answer: { type: 'string' } }),
    });
    const model = one.scriptedModel([{ toolCalls: [{ name: 'ask' }] }, { text: 'done' }]);
    await using agent = await one.createAgent({ model, tools: [ask], plugins: [swallowing] });
    const paused = await agent.run('hello');
    expect([paused.outcome, recognised]).toEqual(['interrupted', [true]]);
    const resumed = await agent.resume(paused.sessionId, { [paused.interrupts[0]?.id ?? '']: 'yes' });
    expect(resumed.messages.find(({ role }) => role === 'tool')).toMatchObject({
      content: [{ text: 'yes' }],
    });
  });

  it('share services by the names of their keys', async () => {
    const seen: unknown[] = [];
    const providing = one.definePlugin({
      name: 'providing',
      setup: ({ provide }) => provide(one.serviceKey('clock'), 42),
    })();
    const using_ = two.definePlugin({
      name: 'using',
      setup: ({ use, onStart }) => onStart(() => void seen.push(use(two.serviceKey('clock')))),
    })();
    await using agent = await one.createAgent({ model: one.scriptedModel([]), plugins: [providing, using_] });
    expect([agent.plugins.length, seen]).toEqual([2, [42]]);
  });

  it('keep sessions for each other', async () => {
    const store = two.memoryStore();
    for (const core of [one, two]) {
      await using agent = await core.createAgent({ model: core.scriptedModel([{ text: 'x' }]), store });
      await agent.run('hello', { sessionId: 's' });
    }
    expect((await store.load('s'))?.messages).toHaveLength(4);
  });
});
