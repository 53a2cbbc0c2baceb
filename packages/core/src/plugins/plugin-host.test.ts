import * as v from 'valibot';
import { describe, expect, it } from 'vitest';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import { hookTrace } from '../../../testing/src/trace-hooks.ts';
import type { Agent } from '../agent.ts';
import { isShallotError, type ShallotError } from '../base/errors.ts';
import type { AgentOptions } from '../contract/agent-options.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { Plugin, PluginEntry, PluginSetup } from '../contract/plugin.ts';
import { pluginStatusKey } from '../contract/services/plugin-status.ts';
import { defineTool, type Tool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { createLogger } from '../log/create-logger.ts';
import { createRedactor } from '../redact/redactor.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';

const model = scriptedModel([]);

function toolNamed(name: string): Tool {
  return defineTool({ name, description: name, input: { type: 'object' }, execute: () => name });
}

/** The error that an agent with these plugins does not start with. */
async function startError(
  plugins: readonly unknown[],
  options: Partial<AgentOptions> = {},
): Promise<ShallotError> {
  // Some of these are what a program in JavaScript might pass.
  const entries = plugins as readonly PluginEntry[];
  try {
    const agent = await createAgent({ log: 'silent', model, ...options, plugins: entries });
    await agent.close();
  } catch (error) {
    if (isShallotError(error)) return error;
    throw error;
  }
  throw new Error('the agent started');
}

function codesOf(error: ShallotError): string[] {
  return (error.errors.length > 0 ? error.errors : [error]).map(({ code, plugin }) => `${code} ${plugin}`);
}

/** A plugin that notes its start and stop, and fails where it is told to. */
function lifeCycle(name: string, lines: string[], fails?: 'setup' | 'start' | 'ready' | 'stop'): Plugin {
  const note = (what: 'setup' | 'start' | 'ready' | 'stop') => async (): Promise<void> => {
    lines.push(`${name} ${what}`);
    if (fails === what) throw new Error(`${name} fails to ${what}`);
  };
  return definePlugin({
    name,
    async setup({ onStart, onReady, onStop }) {
      onStart(note('start'));
      onReady(note('ready'));
      onStop(note('stop'));
      await note('setup')();
    },
  })();
}

describe('starting', () => {
  it('goes outside in, and is over when all are ready; stopping goes inside out', async () => {
    const lines: string[] = [];
    const plugins = [
      { use: lifeCycle('inner', lines), priority: 10 },
      { use: lifeCycle('outer', lines), priority: 90 },
    ];
    const agent = await createAgent({ model, plugins });
    await agent.close();
    expect(lines.filter((line) => !line.endsWith('setup'))).toEqual([
      'outer start',
      'inner start',
      'outer ready',
      'inner ready',
      'inner stop',
      'outer stop',
    ]);
  });

  it('tells plugins what the agent is called, the forked one too', async () => {
    const seen: object[] = [];
    const named = definePlugin({
      name: 'named',
      setup: ({ onReady }) =>
        onReady(({ name, id, version, description }) => void seen.push({ name, id, version, description })),
    })();
    const identity = { id: 'bees-1', version: '2', description: 'Knows of bees.' };
    await using agent = await createAgent({ model, name: 'bees', ...identity, plugins: [named] });
    await using fork = await agent.fork({ version: '3' });
    await using plain = await createAgent({ model, plugins: [named] });
    expect(agent).toMatchObject({ name: 'bees', ...identity });
    expect(fork).toMatchObject({ name: 'bees', ...identity, version: '3' });
    expect(plain.id).toBeUndefined();
    expect(seen).toEqual([
      { name: 'bees', ...identity },
      { name: 'bees', ...identity, version: '3' },
      { name: 'agent', id: undefined, version: undefined, description: undefined },
    ]);
  });

  it('is rolled back in reverse when one fails, its own onStop included', async () => {
    const lines: string[] = [];
    const error = await startError([
      lifeCycle('a', lines),
      lifeCycle('b', lines, 'start'),
      lifeCycle('c', lines),
    ]);
    expect(error).toMatchObject({ code: 'PLUGIN_START_FAILED', plugin: 'b' });
    expect(lines.filter((line) => !line.endsWith('setup'))).toEqual([
      'a start',
      'b start',
      'b stop',
      'a stop',
    ]);
  });

  it('is rolled back when one is not ready', async () => {
    const lines: string[] = [];
    const error = await startError([lifeCycle('a', lines), lifeCycle('b', lines, 'ready')]);
    expect(error).toMatchObject({ code: 'PLUGIN_START_FAILED', plugin: 'b' });
    expect(lines.slice(-2)).toEqual(['b stop', 'a stop']);
  });

  it('reports a stop that fails during the roll-back beside what failed first', async () => {
    const error = await startError([lifeCycle('a', [], 'stop'), lifeCycle('b', [], 'start')]);
    expect(codesOf(error)).toEqual(['PLUGIN_START_FAILED b', 'PLUGIN_STOP_FAILED a']);
  });

  it('reports all set-ups that fail, and starts nothing', async () => {
    const lines: string[] = [];
    const error = await startError([
      lifeCycle('a', lines, 'setup'),
      lifeCycle('b', lines),
      lifeCycle('c', lines, 'setup'),
    ]);
    expect(codesOf(error)).toEqual(['PLUGIN_SETUP_FAILED a', 'PLUGIN_SETUP_FAILED c']);
    expect(lines.filter((line) => line.endsWith('start'))).toEqual([]);
  });

  it('stops past errors, and reports them together', async () => {
    const lines: string[] = [];
    const plugins = [lifeCycle('a', lines, 'stop'), lifeCycle('b', lines), lifeCycle('c', lines, 'stop')];
    const agent = await createAgent({ model, plugins });
    const error = await agent.close().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(lines.slice(-3)).toEqual(['c stop', 'b stop', 'a stop']);
    expect(isShallotError(error) && codesOf(error)).toEqual(['PLUGIN_STOP_FAILED c', 'PLUGIN_STOP_FAILED a']);
  });

  it('stops once, however often the agent is closed, and runs nothing afterwards', async () => {
    const lines: string[] = [];
    const agent = await createAgent({ model, plugins: [lifeCycle('a', lines)] });
    await Promise.all([agent.close(), agent.close()]);
    await agent.close();
    expect(lines.filter((line) => line === 'a stop')).toHaveLength(1);
    await expect(agent.run('hello')).rejects.toMatchObject({ code: 'AGENT_CLOSED' });
  });

  it('waits for a plugin that is being added, but not for ever, and stops it when it comes', async () => {
    const lines: string[] = [];
    const { promise: hangs, resolve: goOn } = Promise.withResolvers<void>();
    const late = definePlugin({
      name: 'late',
      async setup({ onStop }) {
        onStop(() => void lines.push('late stop'));
        await hangs;
      },
    })();
    const plugins = [lifeCycle('a', lines), lifeCycle('b', lines)];
    const agent = await createAgent({ log: 'silent', model, plugins });
    const added = agent.use(late);
    await expect(agent.close({ timeoutMs: 30 })).rejects.toMatchObject({
      code: 'CLOSE_TIMEOUT',
      message: expect.stringContaining('Still running: a plugin that was being added or removed.') as string,
    });
    expect(lines.slice(-2)).toEqual(['b stop', 'a stop']);
    goOn();
    await added;
    await expect.poll(() => lines.at(-1)).toBe('late stop');
    await expect(agent.use(lifeCycle('c', lines))).rejects.toMatchObject({ code: 'AGENT_CLOSED' });
  });

  it('stops a plugin that was added just before', async () => {
    const lines: string[] = [];
    const agent = await createAgent({ log: 'silent', model });
    const added = agent.use(lifeCycle('a', lines));
    await agent.close();
    await added;
    expect(lines).toEqual(['a setup', 'a start', 'a ready', 'a stop']);
    expect(agent.plugins).toEqual([]);
  });

  it('aborts the signal of a plugin that stops', async () => {
    let signal: AbortSignal | undefined;
    const agent = await createAgent({
      model,
      plugins: [definePlugin({ name: 'a', setup: (plugin) => void (signal = plugin.signal) })()],
    });
    expect(signal?.aborted).toBe(false);
    await agent.close();
    expect(signal?.reason).toEqual(new Error('a was stopped'));
  });
});

describe('what is refused at the start', () => {
  it.each([
    ['text', 'audit'],
    ['nothing', undefined],
    [
      'a factory that was not called',
      definePlugin({ name: 'audit', version: '1.0.0', api: '^1.0.0', setup() {} }),
    ],
    ['an entry without a plugin', { use: {}, priority: 3 }],
  ])('%s for a plugin', async (_, plugin) => {
    const first = definePlugin({ name: 'first', setup() {} })();
    expect(await startError([first, plugin])).toMatchObject({
      code: 'PLUGIN_EXPECTED',
      message: expect.stringMatching(/entry 2 of the plugins/i) as string,
    });
  });

  it('an entry with an unknown key, naming the nearest', async () => {
    const error = await startError([{ use: definePlugin({ name: 'a', setup() {} })(), priorty: 3 }]);
    expect(error.code).toBe('OPTION_INVALID');
    expect(error.message).toContain('priority');
  });

  it('one plugin twice without ids; with ids it is fine', async () => {
    const error = await startError([
      definePlugin({ name: 'memory', setup() {} })(),
      definePlugin({ name: 'other', setup() {} })(),
      definePlugin({ name: 'memory', setup() {} })(),
    ]);
    expect(error).toMatchObject({ code: 'PLUGIN_DUPLICATE', plugin: 'memory' });
    expect(error.message).toContain('Two plugins have the id "memory": both from code.');
    const at = { file: 'shallot.config.json', line: 3, column: 5 };
    const source = { from: './memory.js', at };
    const elsewhere = await startError([
      definePlugin({ name: 'memory', setup() {} })(),
      { use: definePlugin({ name: 'memory', setup() {} })(), source },
    ]);
    expect(elsewhere.message).toContain('from code and from ./memory.js (shallot.config.json:3:5)');
    const plugins = [
      definePlugin({ name: 'memory', setup() {} })(),
      { use: definePlugin({ name: 'memory', setup() {} })(), id: 'second' },
    ];
    await using agent = await createAgent({ model, plugins });
    expect(agent.plugins.map(({ id }) => id)).toEqual(['memory', 'second']);
  });

  it.each(['', 'Second', 'two words', 'a/b', '-a', '__proto__', 2])(
    'an id that is not as names of plugins are: %j',
    async (id) => {
      const at = { file: 'shallot.config.json', line: 3, column: 5 };
      const entry = {
        use: definePlugin({ name: 'memory', setup() {} })(),
        id,
        source: { from: 'memory', at },
      };
      const error = await startError([entry]);
      expect(error).toMatchObject({ code: 'OPTION_INVALID', plugin: 'memory', at });
      expect(error.message).toContain(JSON.stringify(id));
      expect(error.message).toContain('lower-case letters, digits and hyphens');
    },
  );

  it.each(['core', 'tool'])('the id and the name "%s", which are the core\'s own', async (reserved) => {
    const id = await startError([{ use: definePlugin({ name: 'memory', setup() {} })(), id: reserved }]);
    expect(id).toMatchObject({ code: 'OPTION_INVALID', plugin: 'memory' });
    expect(id.message).toContain(`"${reserved}"`);
    const name = await startError([{ use: definePlugin({ name: reserved, setup() {} })(), id: 'mine' }]);
    expect(name).toMatchObject({ code: 'PLUGIN_INVALID', plugin: reserved });
    await using agent = await createAgent({ model });
    await expect(agent.use(definePlugin({ name: reserved, setup() {} })())).rejects.toMatchObject({
      code: 'PLUGIN_INVALID',
    });
    await expect(
      agent.use(definePlugin({ name: 'memory', setup() {} })(), { id: reserved }),
    ).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
  });

  it('a tool from two sources, naming both', async () => {
    const adding = (name: string): Plugin =>
      definePlugin({ name, setup: ({ tools }) => void tools.add(toolNamed('search')) })();
    const twoPlugins = await startError([adding('a'), adding('b')]);
    expect(codesOf(twoPlugins)).toEqual(['TOOL_DUPLICATE b']);
    expect(twoPlugins.message).toMatch(/search.*\ba\b|\ba\b.*search/);
    expect(codesOf(await startError([adding('a')], { tools: [toolNamed('search')] }))).toEqual([
      'TOOL_DUPLICATE a',
    ]);
    expect(await startError([], { tools: [toolNamed('search'), toolNamed('search')] })).toMatchObject({
      code: 'TOOL_DUPLICATE',
    });
  });

  it('a service from two plugins', async () => {
    const providing = (name: string): Plugin =>
      definePlugin({ name, setup: ({ provide }) => provide({ name: 'clock' }, name) })();
    expect(codesOf(await startError([providing('a'), providing('b')]))).toEqual(['SERVICE_DUPLICATE b']);
  });

  it('a plugin for another version of the plugin API', async () => {
    const error = await startError([
      definePlugin({ name: 'old', api: '^0.9.0', setup() {} })(),
      definePlugin({ name: 'new', api: '^2.0.0', setup() {} })(),
    ]);
    expect(codesOf(error)).toEqual(['PLUGIN_INCOMPATIBLE old', 'PLUGIN_INCOMPATIBLE new']);
    const advice = error.errors.map(({ message }) => /newer version of [^,]+/.exec(message)?.[0]);
    expect(advice).toEqual(['newer version of old', 'newer version of @shallot/core']);
    expect(error.message).toContain('^0.9.0');
  });

  it('a missing or wrong companion, and one that must not be there', async () => {
    const memory = definePlugin({ name: 'memory', version: '2.0.0', setup() {} })();
    const needs = (range: string): Plugin =>
      definePlugin({ name: 'skills', requires: { memory: range }, setup() {} })();
    const missing = await startError([needs('^1.0.0')]);
    expect(codesOf(missing)).toEqual(['PLUGIN_REQUIRES skills']);
    expect(missing.message).toContain(
      'which is not configured. Add memory to the plugins, or remove skills.',
    );
    const error = await startError([needs('^1.0.0'), memory]);
    expect(codesOf(error)).toEqual(['PLUGIN_REQUIRES skills']);
    expect(error.message).toContain('which has 2.0.0. Install a matching version of memory.');
    await using agent = await createAgent({ model, plugins: [needs('>=2.0.0 <3'), memory] });
    expect(agent.plugins).toHaveLength(2);
    const exclusive = definePlugin({ name: 'exclusive', conflicts: ['memory'], setup() {} })();
    expect(codesOf(await startError([memory, exclusive]))).toEqual(['PLUGIN_CONFLICT exclusive']);
  });

  it('a plugin that was made with another core, and names no range itself', async () => {
    const made = definePlugin({ name: 'brought', setup() {} })();
    const error = await startError([{ ...made, madeWith: '0.9.0' }]);
    expect(codesOf(error)).toEqual(['PLUGIN_INCOMPATIBLE brought']);
    expect(error.message).toContain('brought (no version) needs the plugin API "^0.9.0"');
  });

  it('a companion without a version, unless any will do', async () => {
    const memory = definePlugin({ name: 'memory', setup() {} })();
    const needs = (range: string): Plugin =>
      definePlugin({ name: 'skills', version: '1.0.0', requires: { memory: range }, setup() {} })();
    const error = await startError([needs('>=1.0.0'), memory]);
    expect(codesOf(error)).toEqual(['PLUGIN_REQUIRES skills']);
    expect(error.message).toContain('skills requires memory >=1.0.0, which has no version.');
    await using agent = await createAgent({ model, plugins: [needs('*'), memory] });
    expect(agent.plugins.map((plugin) => 'version' in plugin)).toEqual([true, false]);
  });

  it('wrong options, all of them, with their paths', async () => {
    const schema = v.strictObject({ limit: v.number(), name: v.optional(v.string(), 'x') });
    const received: unknown[] = [];
    const limited = definePlugin({
      name: 'limited',
      version: '1.0.0',
      api: '^1.0.0',
      options: schema,
      setup: ({ options }) => void received.push(options),
    });
    const error = await startError([limited({ limit: 'many', nam: 'y' } as never)]);
    expect(error).toMatchObject({ code: 'PLUGIN_OPTIONS', plugin: 'limited' });
    expect(error.message).toMatch(/limit[\s\S]*nam/);
    await using agent = await createAgent({ model, plugins: [limited({ limit: 3 })] });
    expect(agent.plugins).toHaveLength(1);
    expect(received).toEqual([{ limit: 3, name: 'x' }]);
  });

  it('wrong options at their places in a config, or at that of the plugin', async () => {
    const at = (line: number) => ({ file: 'shallot.config.json', line, column: 1 });
    const limited = definePlugin({
      name: 'limited',
      options: v.strictObject({ limit: v.number(), name: v.string() }),
      setup() {},
    });
    const place = (options: object, isLocated: boolean) => ({
      use: limited(options as never),
      source: { from: './limited.js', at: at(1) },
      ...(isLocated && { locateOption: ([key]: readonly unknown[]) => at(key === 'limit' ? 2 : 3) }),
    });
    const one = { limit: 'many', name: 'x' };
    expect(await startError([place(one, true)])).toMatchObject({
      code: 'PLUGIN_OPTIONS',
      at: at(2),
      errors: [],
    });
    expect(await startError([place(one, false)])).toMatchObject({ at: at(1), errors: [] });
    const both = await startError([place({ limit: 'many', name: 1 }, true)]);
    expect(both.errors.map((error) => error.at?.line)).toEqual([2, 3]);
    expect(both.message.split('\n')).toHaveLength(3);
  });

  it('an entry with a priority that is none', async () => {
    const use = definePlugin({ name: 'a', setup() {} })();
    expect(await startError([{ use, priority: 101 }])).toMatchObject({ code: 'PRIORITY_RANGE', plugin: 'a' });
    await using agent = await createAgent({ model, plugins: [{ use, priority: 100 }] });
    expect(agent.plugins[0]?.priority.beforeModel).toBe(100);
  });

  it('options that a plain JSON Schema describes', async () => {
    const received: unknown[] = [];
    const limited = definePlugin({
      name: 'limited',
      version: '1.0.0',
      api: '^1.0.0',
      options: { type: 'object', properties: { limit: { type: 'number' } }, additionalProperties: false },
      setup: ({ options }) => void received.push(options['limit']),
    });
    const error = await startError([limited({ limt: 3 })]);
    expect(error).toMatchObject({ code: 'PLUGIN_OPTIONS', plugin: 'limited' });
    expect(error.message).toContain('did you mean "limit"?');
    await using agent = await createAgent({ model, plugins: [limited({ limit: 3 })] });
    expect(agent.plugins).toHaveLength(1);
    expect(received).toEqual([3]);
  });

  it('options for a plugin that takes none', async () => {
    const factory = definePlugin({ name: 'plain', version: '1.0.0', api: '^1.0.0', setup() {} });
    for (const [given, words] of [
      [{ limit: 3, name: 'x' }, 'plain takes no options, but was given limit, name. Remove the options.'],
      ['limit', 'plain takes no options. Remove the options.'],
      [null, undefined],
      [{}, undefined],
    ] as const) {
      const start = startError([factory(given as never)]).catch(() => undefined);
      expect((await start)?.message).toBe(words);
    }
    const error = await startError([factory({ limit: 3 } as never)]);
    expect(error).toMatchObject({ code: 'PLUGIN_OPTIONS', plugin: 'plain' });
  });

  it.each([
    ['an unknown name', { name: 'No Name' }],
    ['no version', { version: '' }],
    ['an unknown key', { afterModels: () => {} }],
    ['options that are no schema', { options: { limit: 'number' } }],
    ['no setup', { setup: undefined }],
    ['a range that is none', { api: 'latest' }],
    ['a version that is none', { version: 'one' }],
    ['a list of what it requires', { requires: ['memory'] }],
    ['a required range that is none', { requires: { memory: 'newest' } }],
    ['required names that are none', { requires: { '@shallot/plugin-memory': '^1.0.0' } }],
    ['conflicts that are no list', { conflicts: 'memory' }],
    ['an edge that is no list', { before: 'memory' }],
    ['an edge without a name', { inside: [''] }],
  ])('a definition with %s', (_, wrong) => {
    const definition = { name: 'a', version: '1.0.0', api: '^1.0.0', setup() {}, ...wrong };
    expect(() => definePlugin(definition as Parameters<typeof definePlugin>[0])).toThrow(
      expect.objectContaining({ code: 'PLUGIN_INVALID' }),
    );
  });

  it('a definition with all its faults, each with what to write', () => {
    const definition = { name: 'A', version: 1, api: 'latest', requires: [], prority: 5, setup: 'f' };
    expect(() => definePlugin(definition as unknown as Parameters<typeof definePlugin>[0])).toThrow(
      `The plugin definition of "A" is not valid:
    its name is "A"; use lower-case letters, digits and hyphens
    its version is 1; write one such as "1.0.0"
    its api is "latest"; write a range such as "^1.0.0"
    its requires is []; write an object of names and ranges, such as { memory: "^1.0.0" }
    its setup is "f"; write a function
    it has the unknown key "prority"; did you mean "priority"?`,
    );
  });

  it('a definition of another copy of the core with a wrong shape', async () => {
    const { definition } = definePlugin({ name: 'copied', setup() {} })();
    const plugin = {
      ...definePlugin({ name: 'copied', setup() {} })(),
      definition: { ...definition, requires: ['memory'] },
    };
    expect(await startError([plugin as unknown as Plugin])).toMatchObject({
      code: 'PLUGIN_INVALID',
      plugin: 'copied',
      message: expect.stringContaining('its requires is ["memory"]; write an object') as string,
    });
  });

  it.each<readonly [string, (plugin: PluginSetup) => void, string]>([
    [
      'a hook that does not exist',
      ({ hooks }): unknown => Reflect.get(hooks, 'beforeModels'),
      'There is no "beforeModels" in hooks. Did you mean "beforeModel"?',
    ],
    [
      'a way to tap that does not exist',
      ({ hooks }): unknown => Reflect.get(hooks.wrapModelCall, 'tapAsync'),
      'There is no "tapAsync" in wrapModelCall. Use tapPromise, or tap with a function that returns a promise.',
    ],
    [
      'an object of hooks from setup',
      () => ({ wrapModelCall() {} }),
      'it returned an object with wrapModelCall; return nothing',
    ],
    [
      'the same in a promise',
      async () => ({ beforeModel() {} }),
      'it returned an object with beforeModel; return nothing',
    ],
    [
      'a tool that was not created by defineTool',
      ({ tools }: PluginSetup) => void tools.add({ name: 't' } as never),
      'brings something that is not a tool: {"name":"t"}. Pass its definition to defineTool',
    ],
    [
      'no tool at all',
      ({ tools }: PluginSetup) => void tools.add(undefined as never),
      'brings something that is not a tool: nothing.',
    ],
  ])('%s', async (_, setup, words) => {
    const error = await startError([definePlugin({ name: 'a', setup })()]);
    expect(error.plugin).toBe('a');
    expect(error.message).toContain(words);
  });

  it('nothing when hooks are looked at in ways that any object is', async () => {
    const looks = definePlugin({
      name: 'looks',
      async setup({ hooks }) {
        expect({
          has: 'beforeModels' in hooks,
          json: JSON.stringify(hooks.beforeAgent),
        }).toEqual({
          has: false,
          json: '{"name":"beforeAgent"}',
        });
        expect(await Promise.resolve(hooks.beforeModel)).toBe(hooks.beforeModel);
      },
    })();
    await using agent = await createAgent({ model, plugins: [looks] });
    expect(agent.plugins).toHaveLength(1);
  });

  it('a tap that is not a function, or of no name', async () => {
    const tap =
      (name: unknown, fn: unknown) =>
      ({ hooks }: PluginSetup) =>
        (hooks.beforeModel.tap as (name: unknown, fn: unknown) => void)(name, fn);
    for (const setup of [tap('x', undefined), tap('', () => {}), tap({ nam: 'x' }, () => {})]) {
      expect(await startError([definePlugin({ name: 'a', setup })()])).toMatchObject({ plugin: 'a' });
    }
  });

  it('a tap that comes after the set-up', async () => {
    let tapLate: (() => void) | undefined;
    const late = definePlugin({
      name: 'late',
      setup({ hooks }) {
        tapLate = () => hooks.beforeModel.tap('late', () => {});
      },
    })();
    await using agent = await createAgent({ model, plugins: [late] });
    expect(agent.plugins).toHaveLength(1);
    expect(tapLate).toThrow(expect.objectContaining({ plugin: 'late' }));
  });
});

describe('the list of plugins', () => {
  it('has the status that each provides, as it is now, with notes if there are any', async () => {
    const notes: string[] = [];
    const servers = definePlugin({
      name: 'servers',
      setup: ({ id, provide }) =>
        provide(pluginStatusKey(id), { lines: () => ['a  up'], notes: () => [...notes] }),
    })();
    const terse = definePlugin({
      name: 'terse',
      setup: ({ id, provide }) => provide(pluginStatusKey(id), { lines: () => [] }),
    })();
    const plain = definePlugin({ name: 'plain', setup() {} })();
    await using agent = await createAgent({ model, plugins: [servers, terse, plain] });
    const list = () => agent.plugins.map(({ status, notes: found }) => ({ status, notes: found }));
    const none = { status: undefined, notes: undefined };
    expect(list()).toEqual([{ ...none, status: ['a  up'] }, { ...none, status: [] }, none]);
    expect(agent.plugins.map((plugin) => 'notes' in plugin)).toEqual([false, false, false]);
    notes.push('Anybody may call it.');
    expect(list()[0]?.notes).toEqual(['Anybody may call it.']);
  });

  it('has them in the order of the edges of their definitions and places', async () => {
    const named = (name: string, outside?: readonly string[]): Plugin =>
      definePlugin({ name, ...(outside && { outside }), setup() {} })();
    const plugins = [
      named('a'),
      { use: named('b', ['a']), outside: ['c'] },
      { use: named('c', ['d']), inside: ['a'] },
      named('d'),
    ];
    await using agent = await createAgent({ model, plugins });
    expect(agent.plugins.map(({ id }) => id)).toEqual(['b', 'a', 'c', 'd']);
    await using fork = await agent.fork();
    expect(fork.plugins.map(({ id }) => id)).toEqual(['b', 'a', 'c', 'd']);
  });

  it('is refused if edges go in a circle, at the place of the one that is named', async () => {
    const at = { file: 'shallot.config.json', line: 3, column: 5 };
    const edge = (name: string, outside: string): PluginEntry => ({
      use: definePlugin({ name, outside: [outside], setup() {} })(),
      source: { from: name, at: { ...at, line: name === 'a' ? 3 : 4 } },
    });
    expect(await startError([edge('b', 'a'), edge('a', 'b')])).toMatchObject({
      code: 'ORDER_CYCLE',
      plugin: 'b',
      message: expect.stringContaining('b > a > b') as string,
      at: { ...at, line: 4 },
    });
  });
});

describe('a deleted session', () => {
  it('is told to all plugins, outside in, past those that fail', async () => {
    const heard: string[] = [];
    const hearing = (name: string, fails?: 'fails'): Plugin =>
      definePlugin({
        name,
        setup: ({ onDeleteSession }) =>
          onDeleteSession(async ({ sessionId }) => {
            await Promise.resolve();
            heard.push(`${name} ${sessionId}`);
            if (fails) throw new Error('no network');
          }),
      })();
    const plugins = [hearing('inner'), { use: hearing('outer', 'fails'), priority: 90 }];
    await using agent = await createAgent({
      log: 'silent',
      model: scriptedModel([{ text: 'x' }]),
      store: memoryStore(),
      plugins,
    });
    await agent.run('hello', { sessionId: 'ada' });
    expect(await agent.deleteSession('ada')).toMatchObject({
      errors: [
        { code: 'PLUGIN_DELETION_FAILED', plugin: 'outer', message: 'onDeleteSession failed: no network' },
      ],
    });
    expect(heard).toEqual(['outer ada', 'inner ada']);
  });
});

describe('an optional plugin', () => {
  it('that fails is left out, with a warning in the log', async () => {
    const lines: { readonly plugin?: string; readonly msg?: string }[] = [];
    const stream = { write: (line: string) => void lines.push(JSON.parse(line) as object) };
    const log = createLogger('warn', { redactor: createRedactor({ environment: false }), stream });
    const started: string[] = [];
    const plugins = [
      { use: lifeCycle('a', started, 'setup'), optional: true },
      { use: lifeCycle('b', started, 'start'), optional: true },
      lifeCycle('c', started),
    ];
    await using agent = await createAgent({ model, log, plugins });
    expect(agent.plugins.map(({ id }) => id)).toEqual(['c']);
    expect(lines.map(({ plugin, msg }) => [plugin, msg])).toEqual([
      ['a', 'an optional plugin was skipped'],
      ['b', 'an optional plugin was skipped'],
    ]);
    expect(started).toContain('b stop');
  });
});

describe('agent.use', () => {
  it('adds a plugin in its place; runs in flight keep the chain they began with', async () => {
    const trace = hookTrace();
    const steps = [{ toolCalls: [{ name: 'pause' }] }, { text: 'one' }, { text: 'two' }];
    const pause = defineTool({
      name: 'pause',
      description: 'Adds a plugin meanwhile.',
      input: { type: 'object' },
      execute: async () => {
        await agent.use(trace.plugin('added', 90, { hooks: ['beforeModel', 'afterAgent'] }));
        return 'done';
      },
    });
    await using agent = await createAgent({
      model: scriptedModel(steps),
      tools: [pause],
      plugins: [trace.plugin('first', 50, { hooks: ['beforeModel', 'afterAgent'] })],
    });
    await agent.run('hello');
    expect(trace.take()).toEqual(['first beforeModel', 'first beforeModel', 'first afterAgent completed']);
    expect(agent.plugins.map(({ id }) => id)).toEqual(['added', 'first']);
    await agent.run('again');
    expect(trace.take()).toEqual([
      'added beforeModel',
      'first beforeModel',
      'first afterAgent completed',
      'added afterAgent completed',
    ]);
  });

  it('takes the place that its second argument says', async () => {
    await using agent = await createAgent({
      model,
      plugins: [definePlugin({ name: 'a', priority: 50, setup() {} })()],
    });
    await agent.use(definePlugin({ name: 'b', priority: 10, setup() {} })(), { priority: 90 });
    await agent.use(definePlugin({ name: 'b', setup() {} })(), { id: 'b2', priority: 0 });
    expect(agent.plugins.map(({ id }) => id)).toEqual(['b', 'a', 'b2']);
  });

  it('starts it, and leaves nothing of one that fails', async () => {
    const lines: string[] = [];
    await using agent = await createAgent({ model, tools: [toolNamed('mine')] });
    const failing = definePlugin({
      name: 'failing',
      setup({ tools, hooks, provide, onStart, onStop }) {
        tools.add(toolNamed('search'));
        provide({ name: 'clock' }, 1);
        hooks.beforeModel.tap('x', () => void lines.push('tapped'));
        onStart(() => {
          throw new Error('no');
        });
        onStop(() => void lines.push('stopped'));
      },
    })();
    await expect(agent.use(failing)).rejects.toMatchObject({
      code: 'PLUGIN_START_FAILED',
      plugin: 'failing',
    });
    expect(lines).toEqual(['stopped']);
    expect(agent.plugins).toEqual([]);
    // The name of its tool and its service are free again.
    await agent.use(
      definePlugin({
        name: 'ok',
        setup: ({ tools, provide }) => (tools.add(toolNamed('search')), provide({ name: 'clock' }, 1)),
      })(),
    );
    await expect(agent.use(definePlugin({ name: 'ok', setup() {} })())).rejects.toMatchObject({
      code: 'PLUGIN_DUPLICATE',
    });
  });
});

describe('agent.remove', () => {
  it('undoes taps, tools and services, runs onStop, and says whether there was something to remove', async () => {
    const lines: string[] = [];
    const script = scriptedModel([{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
    const rich = (): Plugin =>
      definePlugin({
        name: 'rich',
        setup({ hooks, tools, provide, onStop, signal }) {
          hooks.beforeModel.tap('x', () => void lines.push('tapped'));
          hooks.beforeModel.intercept({ call: () => void lines.push('watched') });
          tools.add(toolNamed('search'));
          provide({ name: 'clock' }, 1);
          onStop(() => void lines.push(`stopped, ${signal.aborted ? 'aborted' : 'not aborted'}`));
        },
      })();
    await using agent = await createAgent({ model: script, plugins: [rich()] });
    await agent.run('hello');
    expect(lines.splice(0)).toEqual(['watched', 'tapped']);
    expect(await agent.remove('rich')).toBe(true);
    expect(await agent.remove('rich')).toBe(false);
    expect(await agent.remove('nobody')).toBe(false);
    expect(lines.splice(0)).toHaveLength(1);
    await agent.run('hello');
    expect(lines).toEqual([]);
    expect(script.requests.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([
      ['search'],
      undefined,
    ]);
    expect(agent.plugins).toEqual([]);
    await agent.use(rich());
    await agent.run('hello');
    expect(lines).toEqual(['watched', 'tapped']);
  });
});

describe('a run in flight', () => {
  it('keeps the taps of a plugin that is removed meanwhile', async () => {
    const lines: string[] = [];
    const drop = defineTool({
      name: 'drop',
      description: 'Removes a plugin.',
      input: { type: 'object' },
      execute: async () => String(await agent.remove('victim')),
    });
    const victim = definePlugin({
      name: 'victim',
      setup({ hooks, onStop }) {
        hooks.beforeModel.tap('x', (_, { step }) => void lines.push(`step ${step}`));
        hooks.afterAgent.tap('x', () => void lines.push('after agent'));
        onStop(() => void lines.push('stopped'));
      },
    })();
    const model = scriptedModel([{ toolCalls: [{ name: 'drop' }] }, { text: 'x' }]);
    await using agent: Agent = await createAgent({ model, tools: [drop], plugins: [victim] });
    expect((await agent.run('hello')).outcome).toBe('completed');
    expect(lines.filter((line) => line !== 'stopped')).toEqual(['step 1', 'step 2', 'after agent']);
    expect(lines.filter((line) => line === 'stopped')).toHaveLength(1);
  });
});

describe('agent.fork', () => {
  it('gives an agent of its own: plugins and tools of one never change the other', async () => {
    const lines: string[] = [];
    const one = scriptedModel([{ text: 'one' }]);
    const two = scriptedModel([{ text: 'two' }]);
    const agent = await createAgent({
      model: one,
      tools: [toolNamed('mine')],
      plugins: [lifeCycle('a', lines)],
    });
    const fork = await agent.fork({ model: two });
    expect(lines.filter((line) => line === 'a start')).toHaveLength(2);
    await fork.use(definePlugin({ name: 'b', setup() {} })());
    fork.tools.add(toolNamed('yours'));
    await agent.remove('a');
    expect(agent.plugins.map(({ id }) => id)).toEqual([]);
    expect(fork.plugins.map(({ id }) => id)).toEqual(['a', 'b']);
    expect((await agent.run('x')).text).toBe('one');
    expect((await fork.run('x')).text).toBe('two');
    const offered = [one, two].map(({ requests }) => requests[0]?.tools?.map(({ name }) => name));
    expect(offered).toEqual([['mine'], ['mine', 'yours']]);
    await agent.close();
    expect(lines.filter((line) => line === 'a stop')).toHaveLength(1);
    await fork.close();
    expect(lines.filter((line) => line === 'a stop')).toHaveLength(2);
  });
});

describe('plugins', () => {
  it('can do all that a closed set of callbacks could', async () => {
    const lines: string[] = [];
    const everything = definePlugin({
      name: 'everything',
      setup({ hooks, tools }) {
        tools.add(toolNamed('look'));
        hooks.beforeAgent.tap('a', () => void lines.push('before agent'));
        hooks.beforeModel.tap(
          'a',
          (request) => (lines.push('before model'), { ...request, instructions: 'Be brief.' }),
        );
        hooks.wrapModelCall.tap('a', (request, next) => (lines.push('around model'), next(request)));
        hooks.afterModel.tap('a', () => void lines.push('after model'));
        hooks.wrapToolCall.tap('a', (call, next) => (lines.push('around tool'), next(call)));
        hooks.afterAgent.tap('a', () => void lines.push('after agent'));
      },
    })();
    const script = scriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'done' }]);
    await using agent = await createAgent({ model: script, plugins: [everything] });
    expect((await agent.run('hello')).text).toBe('done');
    expect(script.requests[0]).toMatchObject({ instructions: 'Be brief.', tools: [{ name: 'look' }] });
    expect(lines).toEqual([
      'before agent',
      'before model',
      'around model',
      'after model',
      'around tool',
      'before model',
      'around model',
      'after model',
      'after agent',
    ]);
  });
});
