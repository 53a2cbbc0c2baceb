import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { scriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import { formatError, isShallotError } from '../base/errors.ts';
import { hookNames } from '../base/hook-names.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { definePlugin } from './define-plugin.ts';
import type { InterruptRequest } from './interrupt.ts';
import type { Plugin } from './plugin.ts';
import { defineTool } from './tool.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  execute: () => 'an onion',
});
const call: ScriptedStep = { toolCalls: [{ name: 'look' }] };
const last: ScriptedStep = { text: 'An onion.' };

/** A plugin of members only, which notes what it is called for. */
function short(lines: string[]): Plugin {
  return definePlugin({
    name: 'audit',
    priority: 70,
    tools: [look],
    beforeAgent: (run) => void lines.push(`beforeAgent ${run.step}`),
    beforeModel: (_, run) => void lines.push(`beforeModel ${run.step}`),
    async wrapModelCall(request, next) {
      const { finish } = await next(request);
      lines.push(`wrapModelCall ${finish}`);
      return { message: { role: 'assistant', content: 'Changed.' }, finish };
    },
    afterModel: ({ finish }) => void lines.push(`afterModel ${finish}`),
    async wrapToolCall(asked, next) {
      lines.push(`wrapToolCall ${asked.name}`);
      return next(asked);
    },
    afterAgent: (result) => ({ ...result, text: result.text.toUpperCase() }),
  })();
}

/** The same plugin, all of it in `setup`. */
function full(lines: string[]): Plugin {
  return definePlugin({
    name: 'audit',
    priority: 70,
    setup({ hooks, tools }) {
      tools.add(look);
      hooks.beforeAgent.tap('beforeAgent', (run) => void lines.push(`beforeAgent ${run.step}`));
      hooks.beforeModel.tap('beforeModel', (_, run) => void lines.push(`beforeModel ${run.step}`));
      hooks.wrapModelCall.tap('wrapModelCall', async (request, next) => {
        const { finish } = await next(request);
        lines.push(`wrapModelCall ${finish}`);
        return { message: { role: 'assistant', content: 'Changed.' }, finish };
      });
      hooks.afterModel.tap('afterModel', ({ finish }) => void lines.push(`afterModel ${finish}`));
      hooks.wrapToolCall.tap('wrapToolCall', async (asked, next) => {
        lines.push(`wrapToolCall ${asked.name}`);
        return next(asked);
      });
      hooks.afterAgent.tap('afterAgent', (result) => ({ ...result, text: result.text.toUpperCase() }));
    },
  })();
}

async function everythingOf(make: (lines: string[]) => Plugin) {
  const lines: string[] = [];
  const store = memoryStore();
  await using agent = await createAgent({ model: scriptedModel([last]), store, plugins: [make(lines)] });
  const { text } = await agent.run('hello', { sessionId: 's' });
  const { plugins, tools } = agent;
  const record = (await store.load('s'))?.state['core']?.['plugins']?.value;
  return {
    lines,
    text,
    plugins,
    record,
    layers: agent.layers(),
    tools: tools.list().map(({ name }) => name),
  };
}

describe('hooks and tools as members', () => {
  it('do what the same in setup does, under the same names', async () => {
    const one = await everythingOf(short);
    expect(one).toEqual(await everythingOf(full));
    expect(one).toMatchObject({
      lines: ['beforeAgent 0', 'beforeModel 1', 'wrapModelCall stop', 'afterModel stop'],
      text: 'CHANGED.',
      tools: ['look'],
      plugins: [{ id: 'audit', name: 'audit' }],
      record: { audit: { name: 'audit' } },
    });
    expect(hookNames.map((hook) => one.layers[hook].map(({ plugin, name }) => [plugin, name]))).toEqual(
      hookNames.map((hook) => [['audit', hook]]),
    );
  });

  it('surround what setup taps beside them, and get no options', async () => {
    const lines: string[] = [];
    const both = definePlugin({
      name: 'both',
      options: z.object({ word: z.string() }),
      wrapToolCall: (asked, next) => {
        lines.push('member');
        return next(asked);
      },
      setup({ hooks, options, tools }) {
        hooks.wrapToolCall.tap('inside', (asked, next) => {
          lines.push(options.word);
          return next(asked);
        });
        tools.add(look);
      },
    });
    await using agent = await createAgent({
      model: scriptedModel([call, last]),
      plugins: [both({ word: 'setup' })],
    });
    await agent.run('hello');
    expect(lines).toEqual(['member', 'setup']);
  });

  it('are methods of the definition, as it was when it was passed', async () => {
    const definition = {
      name: 'self',
      wrapModelCall(this: { name: string }) {
        return { message: { role: 'assistant' as const, content: `I am ${this.name}.` } };
      },
    };
    const plugin = definePlugin(definition)();
    definition.name = 'other';
    definition.wrapModelCall = () => ({ message: { role: 'assistant', content: 'No.' } });
    await using agent = await createAgent({ model: scriptedModel([]), plugins: [plugin] });
    expect((await agent.run('hello')).text).toBe('I am self.');
  });

  it('are undone when the setup beside them fails, and when the plugin is removed', async () => {
    const plugin = (fails: boolean): Plugin =>
      definePlugin({
        name: 'brings',
        tools: [look],
        afterAgent: () => undefined,
        async setup() {
          await Promise.resolve();
          if (fails) throw new Error('no');
        },
      })();
    await using agent = await createAgent({ model: scriptedModel([]) });
    await expect(agent.use(plugin(true))).rejects.toMatchObject({ code: 'PLUGIN_SETUP_FAILED' });
    expect([agent.tools.list(), agent.layers().afterAgent]).toEqual([[], []]);
    await agent.use(plugin(false));
    expect([agent.tools.list().length, agent.layers().afterAgent.length]).toEqual([1, 1]);
    await agent.remove('brings');
    expect([agent.tools.list(), agent.layers().afterAgent]).toEqual([[], []]);
  });

  it('fail under the name of the plugin and the hook, said once', async () => {
    const junk = definePlugin({ name: 'junk', wrapModelCall: () => 'junk' as never })();
    await using agent = await createAgent({ log: 'silent', model: scriptedModel([]), plugins: [junk] });
    await expect(agent.run('hello')).rejects.toMatchObject({
      code: 'HOOK_RESULT',
      plugin: 'junk',
      hook: 'wrapModelCall',
      message: expect.stringMatching(/^wrapModelCall of junk returned "junk"; it must return /) as string,
    });
  });

  it('have one name in errors, in the order and in the record, short or full', async () => {
    const fails = (): never => {
      throw new Error('no disk');
    };
    const forms = [
      definePlugin({ name: 'audit', afterModel: fails })(),
      definePlugin({ name: 'audit', setup: ({ hooks }) => hooks.afterModel.tap('afterModel', fails) })(),
    ];
    const seen = forms.map(async (plugin) => {
      const store = memoryStore();
      await using agent = await createAgent({ model: scriptedModel([last]), store, plugins: [plugin] });
      const error: unknown = await agent.run('hello', { sessionId: 's' }).catch((thrown: unknown) => thrown);
      return {
        error: isShallotError(error) ? formatError(error) : error,
        order: agent.layers().afterModel.map((tap) => [tap.plugin, tap.name]),
        plugins: agent.plugins.map(({ id, name }) => [id, name]),
        record: (await store.load('s'))?.state['core']?.['plugins']?.value,
      };
    });
    const [short, full] = await Promise.all(seen);
    expect(short).toEqual(full);
    expect(short).toEqual({
      error: expect.stringMatching(/^PLUGIN_FAILED \[audit\]: .*no disk$/) as string,
      order: [['audit', 'afterModel']],
      plugins: [['audit', 'audit']],
      record: { audit: { name: 'audit' } },
    });
  });

  it('keep their place in a paused run when the plugin grows into the full form', async () => {
    const question: InterruptRequest<z.ZodString> = { kind: 'q', payload: 1, answer: z.string() };
    const answers: string[] = [];
    const small = definePlugin({
      name: 'asks',
      beforeModel: async (_, run) => void answers.push(await run.interrupt(question)),
    });
    const grown = definePlugin({
      name: 'asks',
      version: '2.0.0',
      setup({ hooks }) {
        hooks.beforeModel.tapPromise({ name: 'beforeModel', priority: 60 }, async (_, run) => {
          answers.push(await run.interrupt(question));
        });
      },
    });
    const store = memoryStore();
    await using first = await createAgent({ model: scriptedModel([]), store, plugins: [small()] });
    const { interrupts } = await first.run('hello', { sessionId: 's' });
    await using second = await createAgent({ model: scriptedModel([last]), store, plugins: [grown()] });
    const result = await second.resume('s', { [interrupts[0]?.id ?? '']: 'yes' });
    expect([result.outcome, answers]).toEqual(['completed', ['yes']]);
  });
});

describe('a definition is refused', () => {
  const does = { setup() {} };
  it.each<readonly [string, object, string]>([
    [
      'without hooks, tools and setup',
      {},
      'it does nothing; add a hook (beforeAgent, beforeModel, wrapModelCall, afterModel, wrapToolCall, afterAgent), tools or a setup.',
    ],
    [
      'with options that nothing reads',
      { options: z.object({}), afterAgent() {} },
      'its options are never read; read them in setup, or remove them.',
    ],
    [
      'with a misspelt hook',
      { wrapToolcall() {} },
      'it has the unknown key "wrapToolcall"; did you mean "wrapToolCall"?',
    ],
    ['with a misspelt setup', { setUp() {} }, 'it has the unknown key "setUp"; did you mean "setup"?'],
    [
      'with a hook that is no function',
      { afterModel: { name: 'x' } },
      'its afterModel is {"name":"x"}; write a function.',
    ],
    ['with a tool in place of a list', { tools: 'look' }, 'its tools is "look"; write a list of tools.'],
    [
      'with a tool that is none',
      { tools: [look, { name: 'find' }], ...does },
      'its tools[1] is {"name":"find"}, which is not a tool; pass it to defineTool.',
    ],
  ])('%s', (_, members, words) => {
    expect(() => definePlugin({ name: 'a', ...members })).toThrow(
      expect.objectContaining({
        code: 'PLUGIN_INVALID',
        plugin: 'a',
        message: `The plugin definition of "a" is not valid: ${words}`,
      }),
    );
  });

  it('at the start, when something else than definePlugin made a plugin of it', async () => {
    const plugin = definePlugin({ name: 'handmade', ...does })();
    const { setup: _, ...definition } = plugin.definition;
    const handmade = { ...plugin, definition: { ...definition, afterAgent() {} } } as unknown as Plugin;
    await expect(createAgent({ model: scriptedModel([]), plugins: [handmade] })).rejects.toMatchObject({
      code: 'PLUGIN_INVALID',
      plugin: 'handmade',
      message:
        'The definition of handmade is not valid: it has no setup; create the plugin with definePlugin.',
    });
  });
});
