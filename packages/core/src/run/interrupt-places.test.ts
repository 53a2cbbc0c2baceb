import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { scriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import { hookTrace, type HookTrace } from '../../../testing/src/trace-hooks.ts';
import type { Agent } from '../agent.ts';
import type { AgentOptions } from '../contract/agent-options.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { Run } from '../contract/hooks.ts';
import type { Interrupt } from '../contract/interrupt.ts';
import { textOf } from '../contract/messages.ts';
import type { Plugin, PluginSetup } from '../contract/plugin.ts';
import type { RunResult } from '../contract/result.ts';
import type { Store } from '../contract/store.ts';
import { defineTool, type Tool, type ToolContext } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';

const question = (payload = 1) => ({ kind: 'q', payload, answer: z.string() });
const call: ScriptedStep = {
  text: 'Let me see.',
  toolCalls: [{ name: 'look' }],
  usage: { input: 5, output: 2, total: 7 },
};
const last: ScriptedStep = { text: 'An onion.', usage: { input: 9, output: 1, total: 10 } };

function counted(): { readonly tool: Tool; readonly executed: string[] } {
  const executed: string[] = [];
  const tool = defineTool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    execute(_, context) {
      executed.push(context.call.id);
      return 'an onion';
    },
  });
  return { tool, executed };
}

/** An agent for each part of a run, as if each was a process of its own. */
function processes(store: Store, plugin: () => Plugin, tools: readonly Tool[]) {
  const trace = hookTrace();
  return {
    trace,
    next: (steps: readonly ScriptedStep[], options: Partial<AgentOptions> = {}): Promise<Agent> =>
      createAgent({
        log: 'silent',
        model: trace.model(scriptedModel(steps)),
        store,
        tools,
        plugins: [trace.plugin('a', 80), plugin(), trace.plugin('b', 20)],
        ...options,
      }),
  };
}

const asking = (tap: (plugin: PluginSetup) => void): (() => Plugin) => {
  return () => definePlugin({ name: 'asking', priority: 50, setup: tap })();
};

const answersTo = (interrupts: readonly Interrupt[], answer = 'yes'): Record<string, string> =>
  Object.fromEntries(interrupts.map(({ id }) => [id, answer]));

interface Place {
  readonly tap: (plugin: PluginSetup, answers: string[]) => void;
  /** The trace of the second process. */
  readonly trace: readonly string[];
  /** The answers of each process's model. */
  readonly steps: readonly [readonly ScriptedStep[], readonly ScriptedStep[]];
}

const step = [
  'a beforeModel',
  'b beforeModel',
  'a wrapModelCall >',
  'b wrapModelCall >',
  'model',
  'b wrapModelCall <',
  'a wrapModelCall <',
  'b afterModel',
  'a afterModel',
];
const toolCall = [
  'a wrapToolCall look >',
  'b wrapToolCall look >',
  'b wrapToolCall look <',
  'a wrapToolCall look <',
];
const end = ['b afterAgent completed', 'a afterAgent completed'];

const places: Record<string, Place> = {
  beforeModel: {
    tap: ({ hooks }, answers) =>
      hooks.beforeModel.tap('x', async (_, run) => {
        if (run.step === 1) answers.push(await run.interrupt(question()));
      }),
    // The tap that asked, and those after it.
    trace: [...step.slice(1), ...toolCall, ...step, ...end],
    steps: [[], [call, last]],
  },
  afterModel: {
    tap: ({ hooks }, answers) =>
      hooks.afterModel.tap('x', async (_, run) => {
        if (run.step === 1) answers.push(await run.interrupt(question()));
      }),
    trace: ['a afterModel', ...toolCall, ...step, ...end],
    steps: [[call], [last]],
  },
  wrapToolCall: {
    tap: ({ hooks }, answers) =>
      hooks.wrapToolCall.tap('x', async (asked, next, scope) => {
        answers.push(await scope.interrupt(question()));
        return next(asked);
      }),
    trace: [...toolCall, ...step, ...end],
    steps: [[call], [last]],
  },
  'wrapToolCall, after next': {
    tap: ({ hooks }, answers) =>
      hooks.wrapToolCall.tap('x', async (asked, next, scope) => {
        const result = await next(asked);
        answers.push(await scope.interrupt(question()));
        return result;
      }),
    trace: [...toolCall, ...step, ...end],
    steps: [[call], [last]],
  },
  'a gate': {
    tap: ({ hooks }, answers) =>
      hooks.wrapToolCall.tapPromise({ name: 'x', gate: true }, async (asked, next, scope) => {
        answers.push(await scope.interrupt(question()));
        return next(asked);
      }),
    trace: [...toolCall, ...step, ...end],
    steps: [[call], [last]],
  },
};

async function pauseAndResume(place: Place): Promise<{
  paused: RunResult;
  result: RunResult;
  trace: HookTrace;
  answers: string[];
  executed: string[];
  outside: string[];
}> {
  const answers: string[] = [];
  const { tool, executed } = counted();
  const store = memoryStore();
  const { next, trace } = processes(
    store,
    asking((plugin) => place.tap(plugin, answers)),
    [tool],
  );
  const first = await next(place.steps[0]);
  const paused = await first.run('hello', { sessionId: 's' });
  await first.close();
  const outside = trace.take();
  const second = await next(place.steps[1]);
  const result = await second.resume('s', answersTo(paused.interrupts));
  return { paused, result, trace, answers, executed, outside };
}

describe('an interrupt', () => {
  for (const [name, place] of Object.entries(places)) {
    it(`in ${name} pauses the run, and another agent goes on where it was`, async () => {
      const { paused, result, trace, answers, executed, outside } = await pauseAndResume(place);
      expect(paused).toMatchObject({ outcome: 'interrupted', stopReason: 'interrupt', text: '' });
      expect(paused.interrupts).toMatchObject([{ kind: 'q', plugin: 'asking', payload: 1 }]);
      expect(outside.slice(-2)).toEqual(['b afterAgent interrupted', 'a afterAgent interrupted']);
      expect(trace.lines).toEqual(place.trace);
      expect(answers).toEqual(['yes']);
      expect(executed).toHaveLength(1);
      expect(result).toMatchObject({
        outcome: 'completed',
        text: 'An onion.',
        runId: paused.runId,
        steps: 2,
      });
      expect(result.usage).toMatchObject({ total: 17, modelCalls: 2 });
      expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
      expect(result.messages.filter(({ role }) => role === 'tool').map(textOf)).toEqual(['an onion']);
    });
  }

  it('in a tool re-enters the tool, which says so', async () => {
    const seen: unknown[] = [];
    const tool = defineTool({
      name: 'look',
      description: 'Asks.',
      input: { type: 'object' },
      async execute(_, context) {
        seen.push(context.run.resumed);
        const first = await context.interrupt(question(1));
        const second = await context.interrupt(question(2));
        return `${first} and ${second}`;
      },
    });
    const store = memoryStore();
    const { next } = processes(
      store,
      asking(() => {}),
      [tool],
    );
    const one = await (await next([call])).run('hello', { sessionId: 's' });
    const two = await (await next([])).resume('s', answersTo(one.interrupts, 'this'));
    expect(two).toMatchObject({ outcome: 'interrupted', runId: one.runId, interrupts: [{ payload: 2 }] });
    const three = await (await next([last])).resume('s', answersTo(two.interrupts, 'that'));
    expect(three.messages.filter(({ role }) => role === 'tool').map(textOf)).toEqual(['this and that']);
    expect(seen).toEqual([false, true, true]);
  });

  it.each(['beforeAgent', 'afterAgent'] as const)('in %s is not possible, by name', async (hook) => {
    const plugin = definePlugin({
      name: 'asking',
      setup: ({ hooks }) =>
        (hooks[hook].tap as (name: string, fn: (...args: never[]) => unknown) => void)(
          'x',
          async (...args) => {
            const run = args.at(-1) as unknown as { interrupt: (request: unknown) => Promise<unknown> };
            await run.interrupt(question());
          },
        ),
    })();
    await using agent = await createAgent({
      log: 'silent',
      model: scriptedModel([last]),
      plugins: [plugin],
    });
    const result: unknown = await agent.run('hello').catch((error: unknown) => error);
    const failure = { code: 'INTERRUPT_NOT_ALLOWED', plugin: 'asking', hook };
    expect(result).toMatchObject(hook === 'beforeAgent' ? failure : { errors: [failure] });
  });

  it('in wrapModelCall is not possible, by name', async () => {
    const plugin = definePlugin({
      name: 'asking',
      async wrapModelCall(request, next, scope) {
        await scope.interrupt(question());
        return next(request);
      },
    })();
    await using agent = await createAgent({
      log: 'silent',
      model: scriptedModel([last]),
      plugins: [plugin],
    });
    await expect(agent.run('hello')).rejects.toMatchObject({
      code: 'INTERRUPT_NOT_ALLOWED',
      hook: 'wrapModelCall',
    });
  });
});

describe('a layer that handles errors', () => {
  const layers: Record<string, (plugin: PluginSetup) => void> = {
    'tries again': ({ hooks }) =>
      hooks.wrapToolCall.tap('x', async (asked, next) => {
        for (let attempt = 1; ; attempt += 1) {
          try {
            return await next(asked);
          } catch (error) {
            if (attempt === 3) throw error;
          }
        }
      }),
    'falls back': ({ hooks }) =>
      hooks.wrapToolCall.tap('x', (asked, next) => next(asked).catch(() => ({ content: [] }))),
    'makes it a message': ({ hooks }) =>
      hooks.wrapToolCall.tap('x', async (asked, next) => {
        try {
          return await next(asked);
        } catch (error) {
          return { content: [{ type: 'text', text: String(error) }], isError: true };
        }
      }),
    'throws another': ({ hooks }) =>
      hooks.wrapToolCall.tap('x', (asked, next) =>
        next(asked).catch((error: unknown) => {
          throw new Error('something else', { cause: error });
        }),
      ),
  };
  const inner: Record<string, (plugin: PluginSetup) => void> = {
    'a layer': ({ hooks }) =>
      hooks.wrapToolCall.tap('ask', async (asked, next, scope) => {
        await scope.interrupt(question());
        return next(asked);
      }),
    'a gate': ({ hooks }) =>
      hooks.wrapToolCall.tapPromise({ name: 'ask', gate: true }, async (asked, next, scope) => {
        await scope.interrupt(question());
        return next(asked);
      }),
  };
  for (const [how, outer] of Object.entries(layers)) {
    for (const [where, ask] of Object.entries(inner)) {
      it(`and ${how} does not stop the interrupt of ${where}: it is asked once`, async () => {
        const { tool, executed } = counted();
        const { next } = processes(
          memoryStore(),
          () => definePlugin({ name: 'handling', priority: 60, setup: outer })(),
          [tool],
        );
        const plugins = [
          definePlugin({ name: 'handling', priority: 60, setup: outer })(),
          definePlugin({ name: 'asking', priority: 30, setup: ask })(),
        ];
        const agent = await next([call, last], { plugins });
        const paused = await agent.run('hello', { sessionId: 's' });
        expect(paused.outcome).toBe('interrupted');
        expect(paused.interrupts).toHaveLength(1);
        expect(executed).toEqual([]);
        const result = await agent.resume('s', answersTo(paused.interrupts));
        expect(result).toMatchObject({ outcome: 'completed', text: 'An onion.' });
        expect(executed).toHaveLength(1);
      });
    }
  }

  it.each(['beforeModel', 'afterModel'] as const)('does not stop that of %s either', async (hook) => {
    const swallowing = definePlugin({
      name: 'asking',
      setup: ({ hooks }) =>
        (hooks[hook].tap as (name: string, fn: (...args: never[]) => unknown) => void)(
          'x',
          async (...args) => {
            const run = args.at(-1) as unknown as { interrupt: (request: unknown) => Promise<unknown> };
            await run.interrupt(question()).catch(() => undefined);
          },
        ),
    })();
    await using agent = await createAgent({
      log: 'silent',
      model: scriptedModel([last]),
      plugins: [swallowing],
    });
    const paused = await agent.run('hello', { sessionId: 's' });
    expect(paused).toMatchObject({ outcome: 'interrupted', interrupts: [{ kind: 'q' }] });
  });
});

describe('what was done before an interrupt', () => {
  it('is not done again: results are journalled, once() keeps, state and again() are kept', async () => {
    const { tool, executed } = counted();
    const effects: string[] = [];
    const plugin = (): Plugin =>
      definePlugin({
        name: 'asking',
        priority: 50,
        setup({ hooks, state }) {
          const count = state<number>({ key: 'count', scope: 'run', initial: () => 0 });
          hooks.afterModel.tap('ask', async (_, run) => {
            if (run.step !== 2) return;
            await run.once('mail', () => effects.push('mail'));
            await run.interrupt(question(2));
            effects.push(`count ${count.get(run)}`);
          });
          // After hooks run inside out: this one is through when the other asks.
          hooks.afterModel.tap('more', (_, run) => {
            if (run.step === 2) run.again('Are you sure?');
          });
          hooks.wrapToolCall.tap('x', async (asked, next, scope) => {
            await scope.once('count', () => {
              effects.push('counted');
              count.update(scope.run, (value) => value + 1);
              return null;
            });
            const results = [await next(asked), await next(asked)];
            await scope.interrupt(question(1));
            return results[1] ?? { content: [] };
          });
        },
      })();
    const { next } = processes(memoryStore(), plugin, [tool]);
    const one = await (await next([call])).run('hello', { sessionId: 's' });
    expect(executed).toHaveLength(2);
    const two = await (await next([{ text: 'Hm.' }])).resume('s', answersTo(one.interrupts));
    expect(two).toMatchObject({ outcome: 'interrupted', interrupts: [{ payload: 2 }] });
    const three = await (await next([last])).resume('s', answersTo(two.interrupts));
    expect(executed).toHaveLength(2);
    expect(effects).toEqual(['counted', 'mail', 'count 1']);
    expect(three.messages.map(textOf)).toEqual([
      'hello',
      'Let me see.',
      'an onion',
      'Hm.',
      'Are you sure?',
      'An onion.',
    ]);
  });
});

describe('what a tap asked for before its own interrupt', () => {
  it('is asked for once: again() adds its message when the tap is entered anew', async () => {
    const again = (): Plugin =>
      definePlugin({
        name: 'again',
        async afterModel(_, run) {
          if (run.step !== 1) return;
          run.again('Are you sure?');
          await run.interrupt(question());
        },
      })();
    const { next } = processes(memoryStore(), again, []);
    const one = await (await next([{ text: 'Hm.' }])).run('hello', { sessionId: 's' });
    const two = await (await next([last])).resume('s', answersTo(one.interrupts));
    expect(two.messages.map(textOf)).toEqual(['hello', 'Hm.', 'Are you sure?', 'An onion.']);
  });
});

describe('an answer that once() keeps', () => {
  const ask = async (
    answers: string[],
    { once, interrupt }: Pick<Run | ToolContext, 'once' | 'interrupt'>,
  ): Promise<void> => {
    answers.push(await once('first', () => interrupt(question(1))));
    answers.push(await interrupt(question(2)), await interrupt(question(3)), await interrupt(question(3)));
  };
  const asksIn: Record<string, (plugin: PluginSetup, answers: string[]) => void> = {
    'a hook': ({ hooks }, answers) =>
      hooks.afterModel.tap('x', async (_, run) => (run.step === 1 ? ask(answers, run) : undefined)),
    'a layer': ({ hooks }, answers) =>
      hooks.wrapToolCall.tap('x', async (asked, next, scope) => {
        await ask(answers, scope);
        return next(asked);
      }),
    'a gate': ({ hooks }, answers) =>
      hooks.wrapToolCall.tapPromise({ name: 'x', gate: true }, async (asked, next, scope) => {
        await ask(answers, scope);
        return next(asked);
      }),
    'a tool': ({ tools }, answers) =>
      tools.add(
        defineTool({
          name: 'look',
          description: 'Looks.',
          input: { type: 'object' },
          async execute(_, context) {
            await ask(answers, context);
            return 'an onion';
          },
        }),
      ),
  };

  it.each(Object.entries(asksIn))('leaves the later questions of %s as they were', async (where, tap) => {
    const answers: string[] = [];
    const plugin = asking((setup) => tap(setup, answers));
    const { next } = processes(memoryStore(), plugin, where === 'a tool' ? [] : [counted().tool]);
    let result = await (await next([call])).run('hello', { sessionId: 's' });
    const asked: unknown[] = [];
    for (const answer of ['one', 'two', 'three', 'four']) {
      asked.push(result.interrupts.map(({ payload }) => payload));
      answers.length = 0;
      result = await (await next([last])).resume('s', answersTo(result.interrupts, answer));
    }
    expect(asked).toEqual([[1], [2], [3], [3]]);
    expect(answers).toEqual(['one', 'two', 'three', 'four']);
    expect(result.outcome).toBe('completed');
  });
});
