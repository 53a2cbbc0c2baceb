import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { definePlugin, type PluginFactory } from '@shallot/core';
import type { ModelRequest, ModelResponse } from '@shallot/core/model';
import {
  type ModelNext,
  type ModelScope,
  type PluginSetup,
  option,
  optionsSchema,
} from '@shallot/core/plugin';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';

import type { PluginSuite } from '../plugin-suite.ts';
import { pluginChecks } from '../test-plugin.ts';

type Setup = (plugin: PluginSetup) => void | Promise<void>;

function factoryOf(setup: Setup, api = '^1.0.0'): PluginFactory<undefined> {
  return definePlugin({ name: 'subject', version: '1.0.0', api, setup });
}

function withOptions(
  options: z.ZodType,
  setup: (plugin: PluginSetup<never>) => void = () => {},
): PluginFactory {
  return definePlugin({ name: 'subject', version: '1.0.0', api: '^1.0.0', options, setup } as never);
}

const wrappingModel =
  (wrap: (request: ModelRequest, next: ModelNext, scope: ModelScope) => Promise<ModelResponse>): Setup =>
  ({ hooks }) =>
    hooks.wrapModelCall.tapPromise('x', wrap);

const leaks: (() => void)[] = [];
let runs = 0;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(import.meta.dirname, '..', '..', 'node_modules', '.bad-plugins-'));
});
afterAll(() => {
  for (const release of leaks) release();
  rmSync(folder, { recursive: true });
});

/** A package whose package.json and entry are these, around the plugin `subject`. */
function packageWith(manifest: object, code = ''): PluginSuite {
  const home = mkdtempSync(join(folder, 'package-'));
  const whole = {
    version: '1.0.0',
    type: 'module',
    exports: { '.': './index.js' },
    peerDependencies: { '@shallot/core': '>=0.1.0' },
    shallot: { plugin: 'subject', api: '^1.0.0' },
    ...manifest,
  };
  writeFileSync(join(home, 'package.json'), JSON.stringify(whole));
  writeFileSync(join(home, 'index.js'), code);
  return { manifest: pathToFileURL(join(home, 'package.json')) };
}

/** A plugin that breaks one clause of the suite, and what its author is told to do. */
interface BadPlugin {
  readonly clause: string;
  readonly fault: string;
  readonly factory: PluginFactory;
  readonly suite?: () => object;
  readonly advice: string | RegExp;
}

const nothing = factoryOf(() => {});

const badPlugins: readonly BadPlugin[] = [
  {
    clause: 'has a bounded plugin API range that includes this version',
    fault: 'is for any version of the API',
    factory: factoryOf(() => {}, '>=1.0.0'),
    advice: 'has no upper bound; write "^1',
  },
  {
    clause: 'has a bounded plugin API range that includes this version',
    fault: 'is for a later version of the API',
    factory: factoryOf(() => {}, '^2.0.0'),
    advice: 'does not include 1.',
  },
  {
    clause: 'is described by its package.json',
    fault: 'has another version than its package',
    factory: nothing,
    suite: () => packageWith({ version: '1.0.1' }),
    advice: 'write `version: manifest.version',
  },
  {
    clause: 'has no side effects when it is imported',
    fault: 'prints when it is imported',
    factory: nothing,
    suite: () => packageWith({}, 'console.log("loaded")'),
    advice: 'only define the plugin there',
  },
  {
    clause: 'has no side effects when it is imported',
    fault: 'throws when it is imported',
    factory: nothing,
    suite: () => packageWith({}, 'throw new TypeError("no tea")'),
    advice: './index.js cannot be imported: TypeError: no tea; only define',
  },
  {
    clause: 'starts with the entry that its package.json proposes',
    fault: 'proposes an option that it does not take',
    factory: withOptions(z.strictObject({ level: z.string().default('info').describe('The level.') })),
    suite: () =>
      packageWith({
        shallot: { plugin: 'subject', api: '^1.0.0', entry: { options: { levle: 'info' } } },
      }),
    advice: 'no agent starts with the options of package.json#shallot.entry: ',
  },
  {
    clause: 'starts with the entry that its package.json proposes',
    fault: 'proposes its place among other plugins',
    factory: nothing,
    suite: () =>
      packageWith({ shallot: { plugin: 'subject', api: '^1.0.0', entry: { options: {}, priority: 90 } } }),
    advice: 'write { "options": { … } } and nothing else',
  },
  {
    clause: 'accepts its options',
    fault: 'has an option that is required and not given',
    factory: withOptions(z.strictObject({ level: z.string().describe('The level.') })),
    advice: 'make every option optional, or name in `options` of the suite',
  },
  {
    clause: 'describes every option',
    fault: 'says nothing of an option',
    factory: withOptions(z.strictObject({ level: z.string().optional() })),
    advice: 'add one to each, such as `.describe(',
  },
  {
    clause: 'describes every option',
    fault: 'says nothing of an option within another',
    factory: withOptions(
      z.strictObject({
        pots: z
          .record(z.string(), z.union([z.string(), z.strictObject({ size: z.number() })]))
          .default({})
          .describe('The pots.'),
      }),
    ),
    advice: "+   'pots.*.size'",
  },
  {
    clause: 'describes every option',
    fault: 'has options that cannot be written as JSON Schema',
    factory: withOptions({
      '~standard': { version: 1, vendor: 'mine', validate: (value: unknown) => ({ value }) },
    } as never),
    advice: 'use optionsSchema, zod 4 or arktype',
  },
  {
    clause: 'has defaults that are valid',
    fault: 'has a default that its own schema refuses',
    factory: withOptions(z.strictObject({ times: z.number().min(1).default(0).describe('How often.') })),
    advice: 'the default of "times", 0, is not a valid value of it; change the default',
  },
  {
    clause: 'starts and stops again and again, and leaves nothing behind',
    fault: 'leaves a timer behind',
    factory: factoryOf(() => {
      const timer = setInterval(() => {}, 1000);
      leaks.push(() => clearInterval(timer));
    }),
    advice: 'close in onStop what',
  },
  {
    clause: 'starts and stops again and again, and leaves nothing behind',
    fault: 'leaves a listener behind',
    factory: factoryOf(() => {
      const listener = (): void => {};
      process.on('SIGUSR2', listener);
      leaks.push(() => process.off('SIGUSR2', listener));
    }),
    advice: 'close in onStop what',
  },
  {
    clause: 'works twice in one agent, under two ids',
    fault: 'fails under another id',
    factory: factoryOf(({ id }) => {
      if (id === 'second') throw new Error('I am the first');
    }),
    advice: 'name things by its id',
  },
  {
    clause: 'gives one result, streamed or not',
    fault: 'answers otherwise when it is streamed',
    factory: factoryOf(
      wrappingModel(async (request, next, { emit }) => {
        const response = await next(request);
        if (emit === undefined) return response;
        return { ...response, message: { role: 'assistant', content: [{ type: 'text', text: 'streamed' }] } };
      }),
    ),
    advice: 'leave `emit` to say how it is streamed',
  },
  {
    clause: 'works at any place in the onion',
    fault: 'depends on what stands around it',
    factory: factoryOf(({ hooks }) => {
      let outer = false;
      hooks.wrapModelCall.intercept({ register: ({ plugin }) => void (outer ||= plugin === 'outer') });
      hooks.beforeModel.tap('x', (_, run) => (outer ? run.end('I am not alone.') : undefined));
    }),
    advice: 'say so by outside, inside or requires',
  },
  {
    clause: 'keeps sessions apart',
    fault: 'counts in a closure',
    factory: factoryOf(({ hooks }) => {
      let calls = 0;
      hooks.beforeModel.tap('x', (_, run) => {
        calls += 1;
        if (calls > 4) run.end('Enough.');
      });
    }),
    advice: 'count and remember in state',
  },
  {
    clause: 'keeps plain JSON, and continues in another agent',
    fault: 'has state that cannot go elsewhere',
    factory: factoryOf(({ hooks, state }) => {
      const mine = state<number>({ key: 'process', initial: () => 0 });
      runs += 1;
      const own = runs;
      hooks.beforeModel.tap('x', (_, run) => {
        if (mine.get(run) !== 0 && mine.get(run) !== own) throw new Error('this is not where I was');
        mine.set(run, own);
      });
    }),
    advice: 'rely on nothing but state',
  },
  {
    clause: 'lets an abort through, and stops its work',
    fault: 'goes on after an abort',
    factory: factoryOf(
      wrappingModel(async (request, next, { signal }) => {
        try {
          return await next(request);
        } catch (error) {
          if (signal.aborted) await new Promise((resolve) => setTimeout(resolve, 3000));
          throw error;
        }
      }),
    ),
    advice: 'wait for nothing once the signal is aborted',
  },
  {
    clause: 'lets interrupts through',
    fault: 'hides a question',
    factory: factoryOf(({ hooks }) =>
      hooks.wrapToolCall.tap('x', (call) => ({ content: [{ type: 'text', text: `no ${call.name}` }] })),
    ),
    advice: 'call next, and rethrow what isInterrupt recognises',
  },
  {
    clause: 'has the same state with interrupts as without',
    fault: 'counts a call whenever it comes by',
    factory: factoryOf(({ hooks, state }) => {
      const used = state<number>({ key: 'used', initial: () => 0 });
      hooks.wrapToolCall.tapPromise('count', async (call, next, { run }) => {
        used.update(run, (calls) => calls + 1);
        return next(call);
      });
    }),
    advice: 'count inside once',
  },
  {
    clause: 'passes on the very error that was thrown',
    fault: 'wraps errors',
    factory: factoryOf(
      wrappingModel(async (request, next) => {
        try {
          return await next(request);
        } catch (cause) {
          throw new Error('wrapped', { cause });
        }
      }),
    ),
    advice: 'rethrow the error that you caught',
  },
  {
    clause: 'passes on the very error that was thrown',
    fault: "wraps tools' errors",
    factory: factoryOf(({ hooks }) =>
      hooks.wrapToolCall.tapPromise('x', async (call, next) => {
        const result = await next(call);
        return result.isError === true
          ? { ...result, error: new Error('wrapped', { cause: result.error }) }
          : result;
      }),
    ),
    advice: 'pass on the `error` of the result as it is',
  },
  {
    clause: 'declares state that is plain JSON',
    fault: 'has a Map in its state',
    factory: factoryOf(({ state }) => void state({ key: 'seen', initial: () => new Map() })),
    advice: /the state "seen".*keep plain JSON in it/,
  },
  {
    clause: 'declares state that is plain JSON',
    fault: 'has one object for all sessions in its state',
    factory: factoryOf(({ state }) => {
      const all = { calls: 0 };
      state({ key: 'all', initial: () => all });
    }),
    advice: 'let initial make a new one',
  },
  {
    clause: 'declares state that is plain JSON',
    fault: 'counts versions of its state from 0',
    factory: factoryOf(({ state }) => void state({ key: 'all', version: 0, initial: () => 0 })),
    advice: 'versions count from 1',
  },
  {
    clause: 'migrates its state from every older version',
    fault: 'leaves out a version of its state',
    factory: factoryOf(
      ({ state }) => void state({ key: 'spent', version: 3, initial: () => 0, migrate: { 2: (old) => old } }),
    ),
    advice: 'add migrate: { 1: (old) => … }, which makes version 2',
  },
  {
    clause: 'migrates its state from every older version',
    fault: 'shows no example of an older version',
    factory: factoryOf(
      ({ state }) => void state({ key: 'spent', version: 2, initial: () => 0, migrate: { 1: (old) => old } }),
    ),
    advice: 'add olderState: { "spent": { 1: … } } to the suite',
  },
  {
    clause: 'migrates its state from every older version',
    fault: 'fails to migrate what was stored',
    factory: factoryOf(({ state }) => {
      const migrate = { 1: (old: unknown) => (old as { total: { value: number } }).total.value };
      state({ key: 'spent', version: 2, initial: () => 0, migrate });
    }),
    suite: () => ({ olderState: { spent: { 1: 50 } } }),
    advice: 'fails at version 1',
  },
  {
    clause: 'migrates its state from every older version',
    fault: 'makes of what was stored something else than it reads',
    factory: factoryOf(({ hooks, state }) => {
      const spent = state({
        key: 'spent',
        version: 2,
        initial: () => ({ by: [0] }),
        migrate: { 1: (old) => old },
      });
      hooks.beforeModel.tap('x', (_, run) => void spent.get(run).by.length);
    }),
    suite: () => ({ olderState: { spent: { 1: 50 } } }),
    advice: 'make the migrations give what the plugin reads',
  },
  {
    clause: 'shows no secret in events, state and errors',
    fault: 'sends its key in an event',
    factory: withOptions(
      z.strictObject({ apiKey: z.string().describe('The key.') }),
      ({ hooks, options }: PluginSetup<{ apiKey: string }>) =>
        hooks.beforeModel.tap('x', (_, run) => run.event('asked', { headers: { key: options.apiKey } })),
    ),
    suite: () => ({ options: { apiKey: 'sk-very-secret' } }),
    advice: 'the option apiKey is in an event; leave it out, or pass what you show through the redactor',
  },
  {
    clause: 'shows no secret in events, state and errors',
    fault: 'keeps the environment in its state',
    factory: factoryOf(({ hooks, state }) => {
      const seen = state<object>({ key: 'seen', initial: () => ({}) });
      hooks.beforeModel.tap('x', (_, run) => seen.set(run, { ...process.env }));
    }),
    advice: 'the environment variable CONFORMANCE_API_KEY is in what is stored',
  },
  {
    clause: 'shows no secret in events, state and errors',
    fault: 'fails with its password in the message',
    factory: withOptions(
      z.strictObject({ url: z.string().describe('The address, with the password.') }),
      ({ hooks, options }: PluginSetup<{ url: string }>) =>
        hooks.beforeModel.tap('x', () => {
          throw new Error(`cannot connect to ${options.url}`);
        }),
    ),
    suite: () => ({ options: { url: 'db://me:hunter2@host' }, secrets: ['hunter2'] }),
    advice: 'secrets[0] of the suite is in an error',
  },
  {
    clause: 'shows no secret in events, state and errors',
    fault: 'says its key when it is given in the wrong form',
    factory: definePlugin({
      name: 'subject',
      options: optionsSchema({ apiKey: option.text().describe('The key.') }),
      setup() {},
    }),
    suite: () => ({ options: { apiKey: 'sk-very-secret' } }),
    advice: 'is in the error for a wrong "apiKey"',
  },
  {
    clause: 'does no work until there is a run',
    fault: 'writes a file when it starts',
    factory: factoryOf(({ files, onStart }) => onStart(() => files.write('/started', 'now').then(() => {}))),
    advice: /do that in beforeAgent or later[^]*write of files/,
  },
  {
    clause: 'does no work until there is a run',
    fault: 'asks the model when it is ready',
    factory: factoryOf(({ onReady }) =>
      onReady(async ({ model }) => {
        const messages = [] as const;
        const request = { model, instructions: 'Hello', messages, tools: [] };
        await model
          .generate(request as never, { signal: new AbortController().signal } as never)
          .catch(() => {});
      }),
    ),
    advice: /do that in beforeAgent or later[^]*1 calls of the model/,
  },
  {
    clause: 'prints nothing',
    fault: 'writes to the console',
    // eslint-disable-next-line no-console -- that is the fault
    factory: factoryOf(({ hooks }) => hooks.beforeModel.tap('x', () => console.log('I am here'))),
    advice: /write to the log of setup or of the run[^]*console\.log: I am here/,
  },
  {
    clause: 'prints nothing',
    fault: 'writes to stdout',
    factory: factoryOf(({ hooks }) =>
      hooks.beforeModel.tap('x', () => {
        process.stdout.write('I am here');
      }),
    ),
    advice: 'write to the log of setup or of the run',
  },
  {
    clause: 'leaves globals as they are',
    fault: 'replaces fetch while it runs',
    factory: factoryOf(({ onStart, onStop }) => {
      const { fetch } = globalThis;
      onStart(() => void (globalThis.fetch = (...args) => fetch(...args)));
      onStop(() => void (globalThis.fetch = fetch));
    }),
    advice: /wrap the calls in your hooks[^]*fetch/,
  },
  {
    clause: 'leaves globals as they are',
    fault: 'sets a variable of the environment',
    factory: factoryOf(({ onStop }) => {
      process.env['SUBJECT_WAS_HERE'] = 'yes';
      onStop(() => void delete process.env['SUBJECT_WAS_HERE']);
    }),
    advice: /keep it to yourself[^]*SUBJECT_WAS_HERE/,
  },
];

it.each(badPlugins)('"$clause" finds a plugin that $fault', async ({ clause, factory, suite, advice }) => {
  const checks = pluginChecks(factory as PluginFactory<undefined>, suite?.() ?? {});
  const check = checks.find(({ name }) => name === clause);
  await expect(check?.run()).rejects.toThrow(advice);
});

it('each clause of the suite has a plugin that breaks it', () => {
  const clauses = pluginChecks(nothing, packageWith({}) as PluginSuite<undefined>).map(({ name }) => name);
  expect([...new Set(badPlugins.map(({ clause }) => clause))]).toEqual(clauses);
});
