import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import { traceHooks } from '../../../../testing/src/trace-hooks.ts';
import type { Agent } from '../../agent.ts';
import { definePlugin } from '../../contract/define-plugin.ts';
import type { Scope, ToolNext } from '../../contract/hooks.ts';
import { textOf } from '../../contract/messages.ts';
import type { Plugin } from '../../contract/plugin.ts';
import {
  defineTool,
  type Tool,
  type ToolCall,
  type ToolContext,
  type ToolResult,
} from '../../contract/tool.ts';
import { createAgent } from '../../create-agent.ts';
import { memoryStore } from '../../sessions/stores/memory-store.ts';

type Wrap = (call: ToolCall, next: ToolNext, scope: Scope<unknown>) => Promise<ToolResult>;

const question = { kind: 'q', payload: null, answer: z.string() };

const to = (call: ToolCall, place: string): ToolCall => ({ ...call, input: { place } });

const joined = (results: readonly ToolResult[]): ToolResult => ({
  content: [{ type: 'text', text: results.map((result) => textOf(result)).join(' + ') }],
});

/** Pays at both places at once. */
const both: Wrap = async (call, next) =>
  joined(await Promise.all(['asked', 'free'].map((place) => next(to(call, place), { parallel: true }))));

const layer = (wrapToolCall: Wrap, priority = 50): Plugin =>
  definePlugin({ name: `layer-${priority}`, priority, wrapToolCall })();

/** Asks about the place `asked` alone. */
const guard = definePlugin({
  name: 'guard',
  setup({ hooks }) {
    hooks.wrapToolCall.tapPromise({ name: 'guard', gate: true }, async (call, next, scope) => {
      if (JSON.stringify(call.input).includes('asked')) await scope.interrupt(question);
      return next(call);
    });
  },
});

interface Paying {
  readonly paid: readonly unknown[];
  readonly tool: Tool;
}

/** Pays at a place, which takes a while at the place `free`. */
function paying(act?: (place: unknown, context: ToolContext) => unknown): Paying {
  const paid: unknown[] = [];
  const tool = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: z.object({ place: z.string().optional() }),
    async execute({ place }, context) {
      if (place === 'free') await sleep(10);
      await act?.(place, context);
      paid.push(place);
      return `paid ${place}`;
    },
  });
  return { paid, tool };
}

function agentOf({ tool }: Paying, plugins: readonly Plugin[], store = memoryStore()): Promise<Agent> {
  const model = scriptedModel([{ toolCalls: [{ name: 'pay' }] }, { text: 'done' }]);
  return createAgent({ log: 'silent', model, store, tools: [tool], plugins });
}

/** Runs until a question, has it answered, and returns the text of the call's result. */
async function answered(agent: Agent): Promise<string | undefined> {
  const first = await agent.run('go', { sessionId: 's' });
  expect(first.interrupts.map(({ kind }) => kind)).toEqual(['q']);
  const result = await agent.resume('s', Object.fromEntries(first.interrupts.map(({ id }) => [id, 'yes'])));
  expect([result.outcome, result.interrupts]).toEqual(['completed', []]);
  const message = result.messages.find(({ role }) => role === 'tool');
  return message && textOf(message);
}

describe('a question in one of two parallel branches of a tool call', () => {
  it('keeps the result of the other', async () => {
    const pay = paying();
    await using agent = await agentOf(pay, [layer(both), guard()]);
    expect(await answered(agent)).toBe('paid asked + paid free');
    expect(pay.paid).toEqual(['free', 'asked']);
  });

  it('keeps it for a layer that swallows the question', async () => {
    const pay = paying();
    const swallowing = layer((call, next, scope) => both(call, next, scope).catch(() => joined([])));
    await using agent = await agentOf(pay, [swallowing, guard()]);
    expect(await answered(agent)).toBe('paid asked + paid free');
    expect(pay.paid).toEqual(['free', 'asked']);
  });

  it('shows an observer the error of a layer that then returns nonsense', async () => {
    const pay = paying();
    const seen: unknown[] = [];
    const spy = definePlugin({
      name: 'spy',
      setup: ({ hooks }) =>
        hooks.wrapToolCall.intercept({
          name: 'spy',
          tap: ({ plugin }) => ({
            done: (_, error) => {
              if (plugin === 'layer-50') seen.push(error);
            },
          }),
        }),
    });
    const nonsense = layer((call, next, scope) =>
      both(call, next, scope).catch(() => 'nonsense' as unknown as ToolResult),
    );
    await using agent = await agentOf(pay, [nonsense, guard(), spy()]);
    expect((await agent.run('go', { sessionId: 's' })).interrupts).toHaveLength(1);
    expect(pay.paid).toEqual(['free']);
    expect(seen).toEqual([expect.objectContaining({ code: 'HOOK_RESULT' })]);
  });

  it('keeps it with layers around each branch, and an observer of the hook', async () => {
    const pay = paying();
    const trace = traceHooks();
    const plugins = [
      layer((call, next) => next(call), 60),
      layer(both),
      layer((call, next) => next(call), 40),
    ];
    await using agent = await agentOf(pay, [trace, ...plugins, guard()]);
    expect(await answered(agent)).toBe('paid asked + paid free');
    expect(pay.paid).toEqual(['free', 'asked']);
  });

  it('keeps it if the tool of the first branch asks', async () => {
    const pay = paying((place, { interrupt }) => (place === 'asked' ? interrupt(question) : undefined));
    await using agent = await agentOf(pay, [layer(both)]);
    expect(await answered(agent)).toBe('paid asked + paid free');
    expect(pay.paid).toEqual(['free', 'asked']);
  });

  it('keeps it if the layer asks itself, after it has called next', async () => {
    const pay = paying();
    const asking = layer(async (call, next, { interrupt }) => {
      const [result] = await Promise.all([next(to(call, 'free')), interrupt(question)]);
      return result;
    });
    await using agent = await agentOf(pay, [asking]);
    expect(await answered(agent)).toBe('paid free');
    expect(pay.paid).toEqual(['free']);
  });

  it('keeps the failure of the other', async () => {
    const tried: unknown[] = [];
    const pay = paying((place) => {
      tried.push(place);
      if (place === 'free') throw new Error('no money');
    });
    await using agent = await agentOf(pay, [layer(both), guard()]);
    expect(await answered(agent)).toBe('paid asked + The tool pay failed: no money');
    expect(tried).toEqual(['free', 'asked']);
  });

  it('keeps it for branches that come in another order when the run is resumed', async () => {
    const pay = paying();
    const reversed = layer(async (call, next, { run }) => {
      const places = run.resumed ? ['free', 'asked'] : ['asked', 'free'];
      return joined(await Promise.all(places.map((place) => next(to(call, place), { parallel: true }))));
    });
    await using agent = await agentOf(pay, [reversed, guard()]);
    expect(await answered(agent)).toBe('paid free + paid asked');
    expect(pay.paid).toEqual(['free', 'asked']);
  });

  it('does not keep an abort waiting for a branch that takes no notice', async () => {
    const begun = Promise.withResolvers<undefined>();
    const pay = paying(() => {
      begun.resolve(undefined);
      return new Promise(() => {});
    });
    await using agent = await agentOf(pay, [layer(both), guard()]);
    const stop = new AbortController();
    const run = agent.run('go', { sessionId: 's', signal: stop.signal });
    await begun.promise;
    stop.abort();
    await expect(run).rejects.toMatchObject({ code: 'RUN_ABORTED' });
  });
});
