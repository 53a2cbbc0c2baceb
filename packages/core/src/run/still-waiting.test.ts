import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { scriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import type { AgentOptions } from '../contract/agent-options.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { AgentEvent } from '../contract/events.ts';
import type { ChatModel } from '../contract/model.ts';
import type { Plugin, PluginSetup } from '../contract/plugin.ts';
import type { SessionChange, Store } from '../contract/store.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { storeGraceMs } from '../sessions/live/commit-queue.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { noticeMs } from './parts/wait-reporter.ts';

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] }),
);
afterEach(() => void vi.useRealTimers());

/** A notice comes at the fourth look at the earliest, and at the fifth at the latest. */
const soon = noticeMs * 1.25;

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  execute: () => 'an onion',
});
const call: ScriptedStep = { toolCalls: [{ name: 'look' }] };

/** A place that is come to, and then hangs. */
function hanging() {
  const { promise: entered, resolve } = Promise.withResolvers<void>();
  const hang = (): Promise<never> => (resolve(), new Promise(() => {}));
  return { entered, hang };
}

/** The warnings of a run that hangs, as time passes; then it is aborted. */
async function warningsOf(
  entered: Promise<void>,
  options: Partial<AgentOptions>,
  times: readonly number[] = [soon],
  consume: (event: AgentEvent) => void | Promise<void> = () => {},
): Promise<string[][]> {
  const agent = await createAgent({
    model: scriptedModel([call, { text: 'Done.' }]),
    tools: [look],
    log: 'silent',
    hookTimeoutMs: Infinity,
    ...options,
  });
  const controller = new AbortController();
  const stream = agent.stream('Go', { sessionId: 's', signal: controller.signal });
  const warnings: string[] = [];
  const consumed = (async () => {
    for await (const event of stream) {
      if (event.type === 'warning')
        warnings.push(`${event.plugin ?? 'core'} ${event.code}: ${event.message}`);
      await consume(event);
    }
  })().catch(() => undefined);
  await entered;
  const seen: string[][] = [];
  for (const time of times) {
    await vi.advanceTimersByTimeAsync(time);
    seen.push(warnings.splice(0));
  }
  controller.abort();
  const closed = agent.close({ timeoutMs: 1 }).catch(() => undefined);
  // Hanging work is abandoned by then.
  await vi.advanceTimersByTimeAsync(2 * storeGraceMs);
  await Promise.all([consumed, closed]);
  return seen;
}

const notice = (plugin: string, what: string, seconds = 10): string =>
  `${plugin} STILL_WAITING: Still waiting for ${what}${plugin === 'core' ? '' : ` of ${plugin}`} after ${seconds} s. The run continues when it settles; an abort ends the run.`;

/** Layers that do nothing, at both hooks and as gates, around and inside of others. */
function passing(name: string, priority: number): Plugin {
  const setup = ({ hooks }: PluginSetup): void => {
    hooks.wrapModelCall.tap('pass', async (request, next) => next(request));
    hooks.wrapToolCall.tap('pass', (asked, next) => next(asked));
    hooks.wrapToolCall.tap({ name: 'gate', gate: true }, (asked, next) => next(asked));
  };
  return definePlugin({ name, priority, setup })();
}

function between(setup: (setup: PluginSetup) => void): readonly Plugin[] {
  return [passing('outer', 90), definePlugin({ name: 'stuck', priority: 50, setup })(), passing('inner', 10)];
}

describe('a run says what it waits for, by the name of whose code it is:', () => {
  type Place = readonly [string, (hang: () => Promise<never>) => (setup: PluginSetup) => void];
  it.each<Place>([
    [
      'wrapModelCall "x"',
      (hang) =>
        ({ hooks }) =>
          hooks.wrapModelCall.tap('x', hang),
    ],
    [
      'wrapModelCall "x"',
      (hang) =>
        ({ hooks }) =>
          hooks.wrapModelCall.tap('x', async (request, next) => {
            await next(request);
            return hang();
          }),
    ],
    [
      'wrapToolCall "x"',
      (hang) =>
        ({ hooks }) =>
          hooks.wrapToolCall.tap('x', hang),
    ],
    [
      'the gate "x"',
      (hang) =>
        ({ hooks }) =>
          hooks.wrapToolCall.tap({ name: 'x', gate: true }, hang),
    ],
    [
      'the gate "x"',
      (hang) =>
        ({ hooks }) =>
          hooks.wrapToolCall.tap({ name: 'x', gate: true }, async (asked, next) => {
            await next(asked);
            return hang();
          }),
    ],
    [
      'once("k")',
      (hang) =>
        ({ hooks }) =>
          hooks.wrapToolCall.tap('x', async (asked, next, scope) => {
            await scope.once('k', hang);
            return next(asked);
          }),
    ],
    [
      'once("k")',
      (hang) =>
        ({ hooks }) =>
          hooks.wrapToolCall.tap({ name: 'x', gate: true }, async (asked, next, scope) => {
            await scope.once('k', hang);
            return next(asked);
          }),
    ],
    [
      'once("k")',
      (hang) =>
        ({ hooks }) =>
          hooks.beforeAgent.tap('x', (run) => run.once('k', hang)),
    ],
    [
      'once("k")',
      (hang) =>
        ({ hooks }) =>
          hooks.beforeModel.tap('x', (_, run) => run.once('k', hang)),
    ],
    [
      'once("k")',
      (hang) =>
        ({ hooks }) =>
          hooks.afterModel.tap('x', (_, run) => run.once('k', hang)),
    ],
    [
      'the emit that wrapModelCall "x" passes to next',
      (hang) =>
        ({ hooks }) =>
          hooks.wrapModelCall.tap('x', (request, next) => next(request, { emit: hang })),
    ],
    [
      '"a callback"',
      (hang) =>
        ({ hooks }) =>
          hooks.wrapToolCall.tap('x', async (asked, next, scope) => {
            await scope.inTime('a callback', hang);
            return next(asked);
          }),
    ],
  ])('%s', async (what, setup) => {
    const { entered, hang } = hanging();
    expect(await warningsOf(entered, { plugins: between(setup(hang)) })).toEqual([[notice('stuck', what)]]);
  });

  it.each<readonly [string, (change: SessionChange) => boolean]>([
    ["the model's turn", ({ append }) => append?.[0]?.role === 'assistant'],
    ['the end', ({ claim }) => claim === null],
  ])('the store, in a commit of %s', async (_, isStuck) => {
    const { entered, hang } = hanging();
    const inner = memoryStore();
    const commit: Store['commit'] = (sessionId, revision, change) =>
      isStuck(change) ? hang() : inner.commit(sessionId, revision, change);
    const [warnings] = await warningsOf(entered, { store: { ...inner, commit }, plugins: between(() => {}) });
    expect(warnings).toEqual([notice('core', 'the store to commit session "s"')]);
  });

  it('the store that loads the session', async () => {
    const { entered, hang } = hanging();
    const lines: string[] = [];
    const logStream = { write: (line: string) => void lines.push(line) };
    const store = { ...memoryStore(), load: hang };
    const what = notice('core', 'the store to give session "s"');
    expect(await warningsOf(entered, { store, log: 'warn', logStream })).toEqual([[what]]);
    expect(lines).toEqual([expect.stringContaining('Still waiting for the store to give session \\"s\\"')]);
  });
});

describe('a run that waits', () => {
  it('says so ever more rarely', async () => {
    const { entered, hang } = hanging();
    const plugins = between(({ hooks }) => hooks.wrapModelCall.tap('x', hang));
    const seen = await warningsOf(entered, { plugins }, [
      soon,
      ...Array.from({ length: 15 }, () => noticeMs),
    ]);
    const what = 'wrapModelCall "x"';
    expect(seen.flat()).toEqual([10, 20, 40, 80, 160].map((seconds) => notice('stuck', what, seconds)));
  });

  it('says nothing of what goes on: a layer that calls next again and again', async () => {
    const { entered, hang: enter } = hanging();
    const tries = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
    const plugins = between(({ hooks }) =>
      hooks.wrapModelCall.tap('x', async (request, next) => {
        void enter();
        for (const { promise } of tries) {
          await next(request);
          await promise;
        }
        return next(request);
      }),
    );
    const model = scriptedModel(Array.from({ length: 4 }, () => ({ text: 'Done.' })));
    await using agent = await createAgent({ model, plugins, log: 'silent' });
    const warnings: string[] = [];
    const stream = agent.stream('Go');
    const consumed = (async () => {
      for await (const event of stream) if (event.type === 'warning') warnings.push(event.message);
    })();
    await entered;
    for (const { resolve } of tries) {
      await vi.advanceTimersByTimeAsync(noticeMs * 0.9);
      resolve();
    }
    await consumed;
    expect(warnings).toEqual([]);
  });

  const long = [noticeMs * 10];

  it('says nothing while a model, a tool or the consumer takes its time', async () => {
    const thinking = hanging();
    const model: ChatModel = { id: 'test/slow', generate: thinking.hang };
    const plugins = between(() => {});
    expect(await warningsOf(thinking.entered, { model, plugins, modelIdleMs: Infinity }, long)).toEqual([[]]);

    const working = hanging();
    const tool = defineTool({
      name: 'look',
      description: 'Looks.',
      input: { type: 'object' },
      execute: working.hang,
    });
    expect(await warningsOf(working.entered, { tools: [tool], plugins }, long)).toEqual([[]]);

    const keeping = hanging();
    const once = defineTool({
      name: 'look',
      description: 'Looks.',
      input: { type: 'object' },
      execute: (_, context) => context.once('k', keeping.hang),
    });
    expect(await warningsOf(keeping.entered, { tools: [once], plugins }, long)).toEqual([[]]);
  });

  it('says nothing while a plugin asks its own model, or a person', async () => {
    const thinking = hanging();
    let calls = 0;
    const script = scriptedModel([call, { text: 'Done.' }]);
    const model: ChatModel = {
      id: 'test/slow',
      generate: (request, context) =>
        (calls += 1) === 1 ? script.generate(request, context) : thinking.hang(),
    };
    const generating = between(({ hooks, generate }) => {
      hooks.wrapToolCall.tap('x', async (asked, next, { run, once }) => {
        await once('k', async () => {
          await generate(run, { messages: run.messages.slice(0, 1) }, { purpose: 'sum' });
        });
        return next(asked);
      });
    });
    const options = { model, plugins: generating, modelIdleMs: Infinity, modelTimeoutMs: Infinity };
    expect(await warningsOf(thinking.entered, options, long)).toEqual([[]]);

    for (const gate of [true, false]) {
      const asked = hanging();
      const asking = between(({ hooks }) =>
        hooks.wrapToolCall.tap({ name: 'x', gate }, async (about, next, scope) => {
          await scope.once('answer', () => scope.asking(asked.hang));
          return next(about);
        }),
      );
      expect(await warningsOf(asked.entered, { plugins: asking }, long)).toEqual([[]]);
    }
  });

  it.each([
    ['does not', [20, 40]],
    ['begins to after 15 s', []],
  ])('names whoever reads its stream and %s, in the log', async (_, later) => {
    const { promise: stalled, resolve: stall } = Promise.withResolvers<void>();
    const { promise: goOn, resolve } = Promise.withResolvers<void>();
    const chunks = Array.from({ length: 600 }, () => '.');
    const emitting = between(({ hooks }) =>
      hooks.wrapModelCall.tap('x', (request, next, { emit }) =>
        next(request, { emit: async (chunk) => emit?.(chunk) }),
      ),
    );
    const lines: string[] = [];
    await using agent = await createAgent({
      model: scriptedModel([{ chunks }]),
      plugins: emitting,
      log: 'warn',
      logStream: { write: (line) => void lines.push(line) },
    });
    const stream = agent.stream('Go');
    const reading = (async () => {
      for await (const { type } of stream) {
        if (type !== 'text-delta') continue;
        stall();
        await goOn;
      }
    })();
    await stalled;
    await vi.advanceTimersByTimeAsync(noticeMs * 1.5);
    if (later.length === 0) resolve();
    await vi.advanceTimersByTimeAsync(noticeMs * 5);
    resolve();
    await reading;
    const named = lines.map(
      (line) => /the consumer of the stream to read its events after (\d+) s/.exec(line)?.[1],
    );
    expect(named.map(Number)).toEqual([10, ...later]);
  });

  it('names each of several that hang at once', async () => {
    let inside = 0;
    const { entered, hang } = hanging();
    const plugins = between(({ hooks }) => {
      hooks.wrapToolCall.tap('x', () => ((inside += 1) === 2 ? hang() : new Promise(() => {})));
    });
    const model = scriptedModel([{ toolCalls: [{ name: 'look' }, { name: 'look' }] }]);
    const [warnings] = await warningsOf(entered, { model, plugins });
    expect(warnings).toEqual([notice('stuck', 'wrapToolCall "x"'), notice('stuck', 'wrapToolCall "x"')]);
  });

  it('has one timer with all others, which does not outlive the agent', async () => {
    const { hang } = hanging();
    const plugins = between(({ hooks }) => hooks.wrapModelCall.tap('x', hang));
    const agent = await createAgent({ model: scriptedModel([]), plugins, log: 'silent' });
    const idle = vi.getTimerCount();
    const runs = Array.from({ length: 20 }, () => agent.run('Go').catch(() => undefined));
    await expect.poll(() => vi.getTimerCount()).toBeGreaterThan(idle);
    // One for their claims, one for what they wait for.
    expect(vi.getTimerCount() - idle).toBe(2);
    await agent.close();
    await Promise.all(runs);
    expect(vi.getTimerCount()).toBe(idle);
  });
});
