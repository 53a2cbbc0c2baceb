import { describe, expect, it } from 'vitest';

import { scriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import { hookTrace, type HookTrace } from '../../../testing/src/trace-hooks.ts';
import { hookNames } from '../base/hook-names.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { Plugin, PluginEntry, PluginSetup } from '../contract/plugin.ts';
import type { Priority } from '../contract/priority.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  execute: () => 'an onion',
});
const oneCall: readonly ScriptedStep[] = [{ toolCalls: [{ name: 'look' }] }, { text: 'It is an onion.' }];

/** The record of a run with one tool call. */
async function linesOf(plugins: readonly PluginEntry[], trace: HookTrace): Promise<string[]> {
  const model = trace.model(scriptedModel(oneCall));
  await using agent = await createAgent({ model, tools: [trace.tool(look)], plugins });
  await agent.run('What is it?');
  return trace.take();
}

/** The order of the plugins in each hook of a run, outermost first. */
async function ordersOf(plugins: readonly PluginEntry[], trace: HookTrace): Promise<Record<string, string>> {
  const lines = await linesOf(plugins, trace);
  return Object.fromEntries(
    hookNames.map((hook) => {
      const names = lines
        .filter((line) => line.split(' ')[1] === hook && !/ (<|!)/.test(line))
        .map((line) => line.split(' ')[0]);
      const once = [...new Set(names)];
      return [hook, (hook.startsWith('after') ? once.reverse() : once).join(' ')];
    }),
  );
}

function everywhere(order: string): Record<string, string> {
  return Object.fromEntries(hookNames.map((hook) => [hook, order]));
}

describe('priority', () => {
  it('puts the higher outside: first on the way in, last on the way out', async () => {
    const trace = hookTrace();
    expect(await linesOf([trace.plugin('ten', 10), trace.plugin('ninety', 90)], trace))
      .toMatchInlineSnapshot(`
      [
        "ninety beforeAgent",
        "ten beforeAgent",
        "ninety beforeModel",
        "ten beforeModel",
        "ninety wrapModelCall >",
        "ten wrapModelCall >",
        "model",
        "ten wrapModelCall <",
        "ninety wrapModelCall <",
        "ten afterModel",
        "ninety afterModel",
        "ninety wrapToolCall look >",
        "ten wrapToolCall look >",
        "tool look",
        "ten wrapToolCall look <",
        "ninety wrapToolCall look <",
        "ninety beforeModel",
        "ten beforeModel",
        "ninety wrapModelCall >",
        "ten wrapModelCall >",
        "model",
        "ten wrapModelCall <",
        "ninety wrapModelCall <",
        "ten afterModel",
        "ninety afterModel",
        "ten afterAgent completed",
        "ninety afterAgent completed",
      ]
    `);
  });

  it('decides alone, whatever the order of the list', async () => {
    const permutations = [
      [10, 90, 50],
      [10, 50, 90],
      [50, 10, 90],
      [50, 90, 10],
      [90, 10, 50],
      [90, 50, 10],
    ];
    for (const priorities of permutations) {
      const trace = hookTrace();
      const plugins = priorities.map((priority) => trace.plugin(`p${priority}`, priority));
      await using agent = await createAgent({ model: scriptedModel([]), plugins });
      expect(agent.plugins.map(({ id }) => id)).toEqual(['p90', 'p50', 'p10']);
      expect(await ordersOf(plugins, trace)).toEqual(everywhere('p90 p50 p10'));
    }
  });

  it('leaves plugins of one priority in the order of the list, however many', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `p${index}`);
    const trace = hookTrace();
    expect(
      await ordersOf(
        names.map((name) => trace.plugin(name, 40)),
        trace,
      ),
    ).toEqual(everywhere(names.join(' ')));
  });

  it('is 25 for a plugin that names none', async () => {
    const trace = hookTrace();
    const plugins = [trace.plugin('below', 24.9), trace.plugin('none'), trace.plugin('above', 25.1)];
    expect(await ordersOf(plugins, trace)).toEqual(everywhere('above none below'));
  });

  it('may differ from hook to hook', async () => {
    const trace = hookTrace();
    const plugins = [trace.plugin('redaction', { default: 62, wrapModelCall: 5 }), trace.plugin('cache', 10)];
    expect(await ordersOf(plugins, trace)).toEqual({
      ...everywhere('redaction cache'),
      wrapModelCall: 'cache redaction',
    });
  });

  it('of an entry replaces that of the plugin', async () => {
    const trace = hookTrace();
    const plugins = [
      { use: trace.plugin('a', { default: 90, afterModel: 1 }), priority: 10 },
      trace.plugin('b', 50),
    ];
    expect(await ordersOf(plugins, trace)).toEqual(everywhere('b a'));
  });

  it.each([-1, 100.1, Number.NaN, Number.POSITIVE_INFINITY, '50'])('refuses %s', async (priority) => {
    // Config files and JavaScript programs may hold any value.
    const wrong = priority as number;
    expect(() => definePlugin({ name: 'a', priority: wrong, setup() {} })()).toThrow(
      expect.objectContaining({ code: 'PRIORITY_RANGE' }),
    );
    expect(() => definePlugin({ name: 'a', priority: { wrapToolCall: wrong }, setup() {} })()).toThrow(
      /wrapToolCall/,
    );
    const agent = createAgent({
      model: scriptedModel([]),
      plugins: [{ use: definePlugin({ name: 'a', setup() {} })(), priority: wrong }],
    });
    await expect(agent).rejects.toMatchObject({ code: 'PRIORITY_RANGE', plugin: 'a' });
  });

  it('is listed per hook, in a list that is a copy', async () => {
    const plugins = [
      definePlugin({ name: 'inner', version: '1.0.0', priority: 5, setup() {} })(),
      definePlugin({
        name: 'outer',
        version: '1.0.0',
        priority: { default: 62, wrapModelCall: 5 },
        setup() {},
      })(),
    ];
    await using agent = await createAgent({ model: scriptedModel([]), plugins });
    expect(agent.plugins).toMatchInlineSnapshot(`
      [
        {
          "id": "outer",
          "name": "outer",
          "priority": {
            "afterAgent": 62,
            "afterModel": 62,
            "beforeAgent": 62,
            "beforeModel": 62,
            "wrapModelCall": 5,
            "wrapToolCall": 62,
          },
          "source": {
            "from": "code",
          },
          "version": "1.0.0",
        },
        {
          "id": "inner",
          "name": "inner",
          "priority": {
            "afterAgent": 5,
            "afterModel": 5,
            "beforeAgent": 5,
            "beforeModel": 5,
            "wrapModelCall": 5,
            "wrapToolCall": 5,
          },
          "source": {
            "from": "code",
          },
          "version": "1.0.0",
        },
      ]
    `);
    Reflect.deleteProperty(agent.plugins, 0);
    expect(agent.plugins).toHaveLength(2);
  });
});

describe('a tap of its own priority', () => {
  it('stands where it says, apart from its plugin', async () => {
    const trace = hookTrace();
    const note = (what: string): unknown => (trace.lines as string[]).push(`telemetry ${what}`);
    const setup = ({ hooks }: PluginSetup): void => {
      hooks.wrapModelCall.tap('step', (request, next) => (note('step'), next(request)));
      hooks.wrapModelCall.tap(
        { name: 'attempt', priority: 0 },
        (request, next) => (note('attempt'), next(request)),
      );
    };
    const telemetry = definePlugin({ name: 'telemetry', priority: 90, setup })();
    const retry = trace.plugin('retry', 36, { hooks: ['wrapModelCall'] });
    expect((await linesOf([retry, telemetry], trace)).slice(0, 4)).toEqual([
      'telemetry step',
      'retry wrapModelCall >',
      'telemetry attempt',
      'model',
    ]);
  });

  it('must have one in range', async () => {
    const plugin = definePlugin({
      name: 'a',
      setup: ({ hooks }) => hooks.beforeModel.tap({ name: 'x', priority: 101 }, () => {}),
    })();
    await expect(createAgent({ model: scriptedModel([]), plugins: [plugin] })).rejects.toMatchObject({
      plugin: 'a',
    });
  });
});

describe('the taps of one plugin', () => {
  it('keep the order in which they were registered, also when an edge moves them', async () => {
    const lines: string[] = [];
    const setup = ({ hooks }: PluginSetup): void => {
      hooks.beforeModel.tap('one', () => void lines.push('one'));
      hooks.beforeModel.tap('two', () => void lines.push('two'));
    };
    const pair = definePlugin({ name: 'pair', priority: 80, inside: ['target'], setup })();
    const target = definePlugin({ name: 'target', beforeModel: () => void lines.push('target') })();
    await using agent = await createAgent({ model: scriptedModel([{ text: 'x' }]), plugins: [pair, target] });
    await agent.run('hello');
    expect(lines).toEqual(['target', 'one', 'two']);
  });
});

describe('before and after', () => {
  const at = (use: Plugin, edges: { outside?: string[]; inside?: string[]; id?: string }) => ({
    use,
    ...edges,
  });

  it('move the plugin that declares them next to its target, and nobody else', async () => {
    const trace = hookTrace();
    const a = trace.plugin('p90', 90);
    const b = trace.plugin('p70', 70);
    const c = trace.plugin('p50', 50);
    const d = trace.plugin('p30', 30);
    expect(await ordersOf([a, b, c, at(d, { outside: ['p70'] })], trace)).toEqual(
      everywhere('p90 p30 p70 p50'),
    );
    expect(await ordersOf([at(a, { inside: ['p50'] }), b, c, d], trace)).toEqual(
      everywhere('p70 p50 p90 p30'),
    );
  });

  it('leave alone what priorities satisfy already', async () => {
    const trace = hookTrace();
    const plugins = [
      at(trace.plugin('a', 90), { outside: ['c'] }),
      trace.plugin('b', 50),
      trace.plugin('c', 10),
    ];
    expect(await ordersOf(plugins, trace)).toEqual(everywhere('a b c'));
  });

  it('may be part of the definition, and name ids or plugins', async () => {
    const trace = hookTrace();
    const setup = ({ hooks }: PluginSetup): void =>
      hooks.beforeAgent.tap('x', () => void (trace.lines as string[]).push('declaring beforeAgent'));
    const declaring = definePlugin({ name: 'declaring', priority: 0, outside: ['memory'], setup })();
    const memory = at(trace.plugin('memory', 49), { id: 'long-term' });
    expect((await ordersOf([memory, declaring], trace))['beforeAgent']).toBe('declaring memory');
    const byId = at(trace.plugin('other', 0), { outside: ['long-term'] });
    expect(await ordersOf([memory, byId], trace)).toEqual(everywhere('other memory'));
  });

  it('ignore a plugin that is not there', async () => {
    const trace = hookTrace();
    const plugins = [
      trace.plugin('a', 50),
      at(trace.plugin('b', 10), { outside: ['absent'], inside: ['nobody'] }),
    ];
    expect(await ordersOf(plugins, trace)).toEqual(everywhere('a b'));
  });

  it('follow chains', async () => {
    const trace = hookTrace();
    const plugins = [
      at(trace.plugin('a', 10), { outside: ['b'] }),
      at(trace.plugin('b', 20), { outside: ['c'] }),
      trace.plugin('c', 90),
      trace.plugin('d', 95),
    ];
    expect(await ordersOf(plugins, trace)).toEqual(everywhere('d a b c'));
  });

  it('are refused when they form a circle, with the chain', async () => {
    const trace = hookTrace();
    const plugins = [
      at(trace.plugin('a'), { outside: ['b'] }),
      at(trace.plugin('b'), { outside: ['c'] }),
      at(trace.plugin('c'), { outside: ['a'] }),
    ];
    const started = createAgent({ model: scriptedModel([]), plugins });
    await expect(started).rejects.toMatchObject({ code: 'ORDER_CYCLE' });
    await expect(started).rejects.toThrow('a > b > c > a');
  });

  it('are refused when those that stay where they are leave no place between them', async () => {
    const trace = hookTrace();
    const plugins = [
      trace.plugin('high', 90),
      trace.plugin('low', 10),
      { use: trace.plugin('between', 50), outside: ['high'], inside: ['low'] },
    ];
    await expect(createAgent({ model: scriptedModel([]), plugins })).rejects.toMatchObject({
      code: 'ORDER_CYCLE',
      plugin: 'between',
      message: expect.stringContaining('priorities: between outside high and inside low.') as string,
    });
  });

  it('never take a layer inside a gate, or a gate outside a layer', async () => {
    const trace = hookTrace();
    const plugins = [
      trace.plugin('gate', 100, { gate: true, hooks: ['wrapToolCall'] }),
      at(trace.plugin('layer', 0, { hooks: ['wrapToolCall'] }), { inside: ['gate'] }),
    ];
    expect((await ordersOf(plugins, trace))['wrapToolCall']).toBe('layer gate');
  });
});

describe('gates', () => {
  it('are inside every other layer, whatever the priority, and in the order of theirs', async () => {
    const trace = hookTrace();
    const hooks = ['wrapToolCall'] as const;
    const plugins = [
      trace.plugin('strict', 100, { gate: true, hooks }),
      trace.plugin('lax', 3, { gate: true, hooks }),
      trace.plugin('layer', 0, { hooks }),
    ];
    expect((await linesOf(plugins, trace)).filter((line) => line !== 'model')).toEqual([
      'layer wrapToolCall look >',
      'strict wrapToolCall look >',
      'lax wrapToolCall look >',
      'tool look',
      'lax wrapToolCall look <',
      'strict wrapToolCall look <',
      'layer wrapToolCall look <',
    ]);
  });

  it('are listed after the layers, with what each tap is', async () => {
    const trace = hookTrace();
    const hooks = ['wrapToolCall'] as const;
    const plugins = [trace.plugin('gate', 100, { gate: true, hooks }), trace.plugin('layer', 0, { hooks })];
    await using agent = await createAgent({ model: scriptedModel([]), plugins });
    const reason = { priority: 'plugin' };
    const tap = { hook: 'wrapToolCall', name: 'trace', internal: false, reason };
    expect(agent.layers().wrapToolCall).toEqual([
      { ...tap, plugin: 'layer', priority: 0, gate: false, stage: 0 },
      { ...tap, plugin: 'gate', priority: 100, gate: true, stage: 1 },
    ]);
    expect(agent.layers().beforeModel).toEqual([]);
  });
});

describe('the reason for a place', () => {
  it.each<readonly [string, Placing, Placing, object]>([
    ['the default', {}, {}, { priority: 'default' }],
    ['the plugin', { priority: 40 }, {}, { priority: 'plugin' }],
    ['the plugin, for this hook', { priority: { beforeModel: 40 } }, {}, { priority: 'plugin' }],
    ['the plugin, for all hooks', { priority: { default: 40 } }, {}, { priority: 'plugin' }],
    [
      'the default, if the plugin says it for another hook',
      { priority: { afterModel: 40 } },
      {},
      { priority: 'default' },
    ],
    ['the entry', { priority: 40 }, { priority: 50 }, { priority: 'entry' }],
    ['the entry, for this hook', {}, { priority: { beforeModel: 50 } }, { priority: 'entry' }],
    [
      'an edge of the plugin',
      { outside: ['first'] },
      {},
      { priority: 'default', edge: { kind: 'outside', target: 'first', from: 'plugin' } },
    ],
    [
      'an edge of the entry',
      {},
      { outside: ['first'] },
      { priority: 'default', edge: { kind: 'outside', target: 'first', from: 'entry' } },
    ],
    [
      'an edge of the entry that names the plugin of an id',
      { priority: 99 },
      { inside: ['called'] },
      { priority: 'plugin', edge: { kind: 'inside', target: 'first', from: 'entry' } },
    ],
    [
      'an edge of the plugin beside one of the entry',
      { outside: ['first'] },
      { outside: ['absent'], inside: ['absent'] },
      { priority: 'default', edge: { kind: 'outside', target: 'first', from: 'plugin' } },
    ],
  ])('is that of %s', async (_, own, entry, reason) => {
    const tapping = (name: string, placing: Placing): Plugin =>
      definePlugin({ name, ...placing, setup: ({ hooks }) => hooks.beforeModel.tap('t', () => {}) })();
    const plugins = [
      { use: tapping('called', { priority: 90 }), id: 'first' },
      { ...entry, use: tapping('subject', own) },
    ];
    await using agent = await createAgent({ model: scriptedModel([]), plugins });
    const layer = agent.layers().beforeModel.find(({ plugin }) => plugin === 'subject');
    expect(layer?.reason).toEqual(reason);
  });

  it('may be the tap itself, and says after which equal one it comes', async () => {
    const tapping = (name: string, ...priorities: readonly (number | undefined)[]): Plugin =>
      definePlugin({
        name,
        setup({ hooks }) {
          for (const priority of priorities)
            hooks.beforeModel.tap({ name: 't', ...(priority !== undefined && { priority }) }, () => {});
        },
      })();
    const plugins = [
      tapping('a', 60, undefined),
      tapping('b', undefined, 0),
      { use: tapping('c', undefined), inside: ['d'] },
      tapping('d', 0),
    ];
    await using agent = await createAgent({ model: scriptedModel([]), plugins });
    const reasons = agent.layers().beforeModel.map(({ plugin, reason }) => [plugin, reason]);
    expect(reasons).toEqual([
      ['a', { priority: 'tap' }],
      ['a', { priority: 'default' }],
      ['b', { priority: 'default', tie: 'a' }],
      ['b', { priority: 'tap' }],
      ['d', { priority: 'tap', tie: 'b' }],
      ['c', { priority: 'default', edge: { kind: 'inside', target: 'd', from: 'entry' } }],
    ]);
  });
});

interface Placing {
  readonly priority?: Priority;
  readonly outside?: readonly string[];
  readonly inside?: readonly string[];
}
