import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { collectEvents } from '../../../testing/src/collect-events.ts';
import { scriptedModel, type ScriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import type { Agent } from '../agent.ts';
import type { AgentOptions } from '../contract/agent-options.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { Interrupt } from '../contract/interrupt.ts';
import { textOf } from '../contract/messages.ts';
import type { ModelRequest } from '../contract/model.ts';
import type { Plugin, PluginSetup } from '../contract/plugin.ts';
import type { RunResult } from '../contract/result.ts';
import type { Store } from '../contract/store.ts';
import { defineTool, type Tool, type ToolDefinition } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';

function changed(one: Tool, change: Partial<Tool>): Tool {
  return { ...one, ...change };
}

/** Says who was executed. */
function tool(name: string, origin: string, more: Partial<ToolDefinition> = {}): Tool {
  return defineTool({
    name,
    description: `The ${name} of ${origin}.`,
    input: { type: 'object' },
    execute: () => `executed ${origin}`,
    ...more,
  });
}

type Place = 'beforeModel' | 'wrapModelCall';

/** Puts tools into each request, in the place of those of the same names. */
function offers(setup: PluginSetup, place: Place, make: (request: ModelRequest) => readonly Tool[]): void {
  const changed = (request: ModelRequest): ModelRequest => ({
    ...request,
    tools: [...(request.tools ?? []), ...make(request)],
  });
  if (place === 'beforeModel') setup.hooks.beforeModel.tap('offer', changed);
  else setup.hooks.wrapModelCall.tap('offer', (request, next) => next(changed(request)));
}

/** Asks once, wherever it is told to. */
function asks(where: 'gate' | 'beforeModel' | 'afterModel'): Plugin {
  return definePlugin({
    name: 'asks',
    priority: 1,
    setup({ hooks }) {
      const question = { kind: 'question', payload: 'Go on?', answer: { type: 'boolean' } } as const;
      if (where === 'gate') {
        hooks.wrapToolCall.tapPromise({ name: 'ask', gate: true }, async (call, next, scope) => {
          await scope.interrupt(question);
          return next(call);
        });
      } else if (where === 'beforeModel') {
        hooks.beforeModel.tapPromise('ask', async (_, run) => {
          if (run.step === 1) await run.interrupt(question);
        });
      } else {
        hooks.afterModel.tapPromise('ask', async (_, run) => {
          if (run.step === 1) await run.interrupt(question);
        });
      }
    },
  })();
}

const callOf = (...names: string[]): ScriptedStep => ({ toolCalls: names.map((name) => ({ name })) });
const done: ScriptedStep = { text: 'Done.' };

const agentOn = (
  store: Store,
  steps: readonly ScriptedStep[],
  options: Partial<AgentOptions>,
): Promise<Agent> => createAgent({ log: 'silent', model: scriptedModel(steps), store, ...options });

async function interrupted(
  steps: readonly ScriptedStep[],
  options: Partial<AgentOptions>,
): Promise<{ readonly store: Store; readonly interrupts: readonly Interrupt[] }> {
  const store = memoryStore();
  await using agent = await agentOn(store, steps, options);
  const { interrupts, outcome } = await agent.run('hello', { sessionId: 's' });
  expect(outcome).toBe('interrupted');
  return { store, interrupts };
}

const yes = (interrupts: readonly Interrupt[]): Record<string, boolean> =>
  Object.fromEntries(interrupts.map(({ id }) => [id, true]));

const resultsOf = ({ messages }: RunResult): string[] =>
  messages.flatMap((message) => (message.role === 'tool' ? textOf(message) : []));

/** Waits for an answer in one agent, and goes on in another one. */
async function acrossAgents(
  where: Parameters<typeof asks>[0],
  options: (asked: Plugin) => Partial<AgentOptions>,
  name = 'bash',
): Promise<{ readonly result: RunResult; readonly model: ScriptedModel }> {
  const steps = where === 'beforeModel' ? [] : [callOf(name)];
  const { store, interrupts } = await interrupted(steps, options(asks(where)));
  const model = scriptedModel(where === 'beforeModel' ? [callOf(name), done] : [done]);
  await using agent = await createAgent({ log: 'silent', store, ...options(asks(where)), model });
  return { result: await agent.resume('s', yes(interrupts)), model };
}

/** Puts a registered tool of its own in the place of the agent's. */
const sandbox = (place: Place): Plugin =>
  definePlugin({
    name: 'sandbox',
    setup(setup) {
      const safe = tool('bash', 'sandbox');
      setup.tools.add(safe, { offered: false });
      offers(setup, place, () => [safe]);
    },
  })();

const swapped = (place: Place): ((asked: Plugin) => Partial<AgentOptions>) => {
  return (asked) => ({ tools: [tool('bash', 'the agent')], plugins: [sandbox(place), asked] });
};

describe('a tool that a layer offers and a plugin has registered', () => {
  it.each<[Parameters<typeof asks>[0], Place]>([
    ['gate', 'beforeModel'],
    ['gate', 'wrapModelCall'],
    ['afterModel', 'beforeModel'],
    ['afterModel', 'wrapModelCall'],
    ['beforeModel', 'beforeModel'],
    ['beforeModel', 'wrapModelCall'],
  ])('is executed after a question in %s, when it was offered in %s', async (where, place) => {
    const { result } = await acrossAgents(where, swapped(place));
    expect(resultsOf(result)).toEqual(['executed sandbox']);
  });

  it('is executed after a crash', async () => {
    const store = memoryStore();
    const entered = Promise.withResolvers<void>();
    const hangs = definePlugin({
      name: 'hangs',
      setup({ hooks }) {
        hooks.wrapToolCall.tapPromise('hang', () => {
          entered.resolve();
          return new Promise(() => {});
        });
      },
    })();
    const options = swapped('beforeModel');
    await using first = await agentOn(store, [callOf('bash')], options(hangs));
    void first.run('hello', { sessionId: 's' }).catch(() => {});
    await entered.promise;
    const left = await copyOf(store);
    await using second = await agentOn(left, [done], options(definePlugin({ name: 'calm', setup() {} })()));
    expect(resultsOf(await second.resume('s'))).toEqual(['executed sandbox']);
  });

  it('acts as the plugin that registered it', async () => {
    const seen: string[] = [];
    const named = definePlugin({
      name: 'named',
      setup(setup) {
        const own = tool('report', 'named', {
          execute: (_, { run }) => {
            run.event('reported', null);
            return '';
          },
        });
        setup.tools.add(own, { offered: false });
        offers(setup, 'beforeModel', () => [{ ...own, name: 'tell' }]);
      },
    })();
    await using agent = await agentOn(memoryStore(), [callOf('tell'), done], { plugins: [named] });
    const { events } = await collectEvents(agent.stream('hello'));
    for (const event of events) if (event.type === 'plugin') seen.push(event.plugin);
    expect(seen).toEqual(['named']);
  });
});

describe('a tool of a request that counts as a registered one', () => {
  const renames = (asked: Plugin): Partial<AgentOptions> => ({
    tools: [tool('bash', 'the agent')],
    plugins: [
      definePlugin({
        name: 'renames',
        beforeModel: (request) => ({
          ...request,
          tools: request.tools?.map((each) => ({ ...each, name: 'sh', description: 'A shell.' })) ?? [],
        }),
      })(),
      asked,
    ],
  });

  it.each(['gate', 'beforeModel', 'afterModel'] as const)(
    'under another name is executed after a question in %s',
    async (where) => {
      const { result } = await acrossAgents(where, renames, 'sh');
      expect(resultsOf(result)).toEqual(['executed the agent']);
    },
  );

  it('is offered again as the layer has described it', async () => {
    const { model } = await acrossAgents('beforeModel', renames, 'sh');
    expect(model.requests[0]?.tools).toMatchObject([{ name: 'sh', description: 'A shell.' }]);
  });

  it('keeps what the layer has said of its effect', async () => {
    const idempotent = (asked: Plugin): Partial<AgentOptions> => ({
      tools: [tool('bash', 'the agent')],
      plugins: [
        definePlugin({
          name: 'knows',
          setup: (setup) =>
            offers(setup, 'beforeModel', (request) =>
              (request.tools ?? []).map((each) =>
                changed(each, { effect: 'idempotent', returnDirectly: true }),
              ),
            ),
        })(),
        asked,
      ],
    });
    const { result } = await acrossAgents('gate', idempotent);
    expect(result.stopReason).toBe('return-directly');
  });

  it('may be made anew by the plugin that registered it', async () => {
    const rebuilt = (asked: Plugin): Partial<AgentOptions> => ({
      plugins: [
        definePlugin({
          name: 'skills',
          setup(setup) {
            const base = tool('read', 'skills');
            setup.tools.add(base);
            const input = { type: 'object', properties: { name: { enum: ['a'] } } };
            offers(setup, 'wrapModelCall', () => [defineTool({ ...base, input })]);
          },
        })(),
        asked,
      ],
    });
    const { result } = await acrossAgents('gate', rebuilt, 'read');
    expect(resultsOf(result)).toEqual(['executed skills']);
  });
});

/** The session as a process that was killed now would leave it. */
async function copyOf(store: Store): Promise<Store> {
  const record = await store.load('s');
  if (record?.run === undefined) throw new Error('nothing was left behind');
  const { messages, state, journal, run } = record;
  const left = memoryStore();
  await left.commit('s', 0, { append: messages, state, journal, run });
  return left;
}

describe('a tool that an open call needs', () => {
  const injected = (make: () => Tool): Plugin =>
    definePlugin({ name: 'injects', setup: (setup) => offers(setup, 'beforeModel', () => [make()]) })();
  const unregistered = injected(() => tool('bash', 'the request'));

  const gone: [string, Partial<AgentOptions>, Partial<AgentOptions>, string | undefined, string][] = [
    [
      'that only a request had',
      { plugins: [unregistered] },
      { plugins: [unregistered] },
      'injects',
      'that of injects',
    ],
    [
      'that a request had in the place of a registered one',
      { tools: [tool('bash', 'the agent')], plugins: [unregistered] },
      { tools: [tool('bash', 'the agent')], plugins: [unregistered] },
      'injects',
      'that of injects',
    ],
    [
      'of a plugin that is gone, though the agent has one of that name',
      {
        plugins: [definePlugin({ name: 'brings', version: '1.0.0', tools: [tool('bash', 'brings')] })()],
      },
      { tools: [tool('bash', 'the agent')] },
      'brings',
      'that of brings 1.0.0',
    ],
    [
      "of the agent's own, though a plugin has one of that name",
      { tools: [tool('bash', 'the agent')] },
      {
        plugins: [definePlugin({ name: 'brings', version: '1.0.0', tools: [tool('bash', 'brings')] })()],
      },
      undefined,
      "one of the agent's own",
    ],
    [
      'under another name than it was registered with',
      {
        tools: [tool('shell', 'the agent')],
        plugins: [
          definePlugin({
            name: 'renames',
            setup: (setup) =>
              offers(setup, 'beforeModel', ({ tools = [] }) =>
                tools.map((each) => ({ ...each, name: 'bash' })),
              ),
          })(),
        ],
      },
      { tools: [tool('bash', 'the agent')] },
      undefined,
      'registered as "shell"',
    ],
  ];
  const places = ['gate', 'afterModel'] as const;
  const cases = places.flatMap((place) => gone.map((each) => ({ place, what: each[0], each })));
  it.each(cases)(
    'is missed before anything runs, after a question in $place: one $what',
    async ({ place, each: [, before, after, plugin, whose] }) => {
      const entered: string[] = [];
      const watch = definePlugin({
        name: 'watch',
        setup({ hooks, aroundRun }) {
          hooks.wrapToolCall.tap('watch', (call, next) => (entered.push(call.name), next(call)));
          aroundRun((run, next) => (entered.push(run.id), next()));
        },
      })();
      const asked = asks(place);
      const { store, interrupts } = await interrupted([callOf('bash')], {
        ...before,
        plugins: [...(before.plugins ?? []), asked],
      });
      const record = await store.load('s');
      await using agent = await agentOn(store, [], {
        ...after,
        plugins: [...(after.plugins ?? []), watch, asked],
      });
      await expect(agent.resume('s', yes(interrupts))).rejects.toMatchObject({
        code: 'TOOL_GONE',
        plugin,
        message: expect.stringMatching(new RegExp(`needs the tool "bash" .*${whose}`)) as string,
      });
      expect(entered).toEqual([]);
      expect(await store.load('s')).toEqual(record);
    },
  );

  it('is missed where a layer has given the call its name', async () => {
    const reroutes = definePlugin({
      name: 'reroutes',
      wrapToolCall: (call, next) => next({ ...call, name: 'bash' }),
    })();
    const other = tool('other', 'the agent');
    const options = { tools: [other], plugins: [unregistered, reroutes, asks('gate')] };
    const { store, interrupts } = await interrupted([callOf('other')], options);
    await using agent = await agentOn(store, [], options);
    await expect(agent.resume('s', yes(interrupts))).rejects.toMatchObject({ code: 'TOOL_GONE' });
  });

  it('is not missed for a call that has its result', async () => {
    const askAboutOther = definePlugin({
      name: 'asks',
      setup({ hooks }) {
        hooks.wrapToolCall.tapPromise({ name: 'ask', gate: true }, async (call, next, scope) => {
          if (call.name === 'other')
            await scope.interrupt({ kind: 'question', payload: null, answer: { type: 'boolean' } });
          return next(call);
        });
      },
    })();
    const options = { tools: [tool('other', 'the agent')], plugins: [unregistered, askAboutOther] };
    const { store, interrupts } = await interrupted([callOf('bash', 'other')], options);
    await using agent = await agentOn(store, [done], options);
    expect(resultsOf(await agent.resume('s', yes(interrupts)))).toEqual([
      'executed the request',
      'executed the agent',
    ]);
  });

  it('is found again once its plugin has registered it', async () => {
    const { store, interrupts } = await interrupted([callOf('bash')], {
      plugins: [unregistered, asks('gate')],
    });
    const registers = definePlugin({
      name: 'injects',
      tools: [tool('bash', 'registered')],
    })();
    await using agent = await agentOn(store, [done], { plugins: [registers, asks('gate')] });
    expect(resultsOf(await agent.resume('s', yes(interrupts)))).toEqual(['executed registered']);
  });

  it('is warned of when a question is asked about a call of one that nobody has registered', async () => {
    await using agent = await agentOn(memoryStore(), [callOf('bash')], {
      plugins: [unregistered, asks('gate')],
    });
    const { events } = await collectEvents(agent.stream('hello'));
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'warning', code: 'TOOL_UNREGISTERED', plugin: 'injects' }),
    );
  });

  it('is given up with the run', async () => {
    const { store } = await interrupted([callOf('bash')], { plugins: [unregistered, asks('gate')] });
    await using agent = await agentOn(store, [done], {});
    const result = await agent.run('Go on.', { sessionId: 's', abandon: true });
    expect(result.text).toBe('Done.');
  });
});

describe('tools.add with offered: false', () => {
  it('puts a tool into no request, under a name that is taken too', async () => {
    const hidden = definePlugin({
      name: 'hidden',
      setup({ tools }) {
        tools.add([tool('bash', 'hidden'), tool('secret', 'hidden')], { offered: false });
      },
    })();
    const model = scriptedModel([callOf('bash', 'secret'), done]);
    await using agent = await agentOn(memoryStore(), [], {
      model,
      tools: [tool('bash', 'the agent')],
      plugins: [hidden],
    });
    expect(agent.tools.list().map(({ name }) => name)).toEqual(['bash']);
    expect(resultsOf(await agent.run('hello'))).toEqual([
      'executed the agent',
      'There is no tool "secret". The tools are: bash.',
    ]);
    expect(model.requests[0]?.tools?.map(({ description }) => description)).toEqual([
      'The bash of the agent.',
    ]);
  });

  it('refuses a second tool of one name by the same plugin', async () => {
    const twice = definePlugin({
      name: 'twice',
      setup({ tools }) {
        tools.add(tool('bash', 'one'));
        tools.add(tool('bash', 'two'), { offered: false });
      },
    })();
    await expect(agentOn(memoryStore(), [], { plugins: [twice] })).rejects.toMatchObject({
      code: 'TOOL_DUPLICATE',
      message: expect.stringContaining('twice provides it twice') as string,
    });
  });

  it('is undone, and leaves the offered tool of that name', async () => {
    let undo = (): void => {};
    const hidden = definePlugin({
      name: 'hidden',
      setup({ tools }) {
        undo = tools.add(tool('bash', 'hidden'), { offered: false });
      },
    })();
    await using agent = await agentOn(memoryStore(), [], { tools: [tool('bash', 'x')], plugins: [hidden] });
    undo();
    expect(agent.tools.list()).toHaveLength(1);
    expect(() => agent.tools.add(tool('bash', 'again'), { offered: false })).toThrow(
      'the agent provides it twice',
    );
  });

  it('is seen by onReady, and goes with a fork of the agent', async () => {
    const seen: string[][] = [];
    const looks = definePlugin({
      name: 'looks',
      setup: ({ onReady }) => onReady(({ tools }) => void seen.push(tools.map(({ name }) => name))),
    })();
    await using agent = await agentOn(memoryStore(), [], { tools: [tool('a', 'x')] });
    agent.tools.add(tool('b', 'x'), { offered: false });
    await agent.use(looks);
    await using fork = await agent.fork();
    expect(fork.tools.list().map(({ name }) => name)).toEqual(['a']);
    await using other = await agent.fork({ tools: [] });
    expect(other.tools.list()).toEqual([]);
    expect(seen).toEqual([['a', 'b'], ['a', 'b'], []]);
  });
});

it('the record of a run says of each offered tool where it is found again', async () => {
  const zod = tool('checked', 'the agent', { input: z.object({}) });
  const plugin = definePlugin({
    name: 'p',
    setup(setup) {
      setup.tools.add(tool('own', 'p'));
      offers(setup, 'beforeModel', () => [{ ...zod, name: 'again', effect: 'read' }, tool('loose', 'p')]);
    },
  })();
  const { store } = await interrupted([callOf('own')], { tools: [zod], plugins: [plugin, asks('gate')] });
  expect((await store.load('s'))?.run?.position).toEqual({
    at: 'tools',
    offered: [
      { name: 'checked' },
      { name: 'own', plugin: 'p' },
      { name: 'again', registeredAs: 'checked', changed: { effect: 'read' } },
      { name: 'loose', plugin: 'p' },
    ],
  });
});
