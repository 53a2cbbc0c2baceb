// A run with everything that a crash could break: parallel calls, a retry, an approval, a summary, hooks with effects.
// As a program it is killed at one point: node crash-scenario.ts FOLDER before|after N, or FOLDER effect|result|answer
// TOOL.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { scriptedModel, type ScriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import type { Agent } from '../../src/agent.ts';
import type { JsonValue } from '../../src/base/json.ts';
import type { AgentOptions } from '../../src/contract/agent-options.ts';
import { definePlugin } from '../../src/contract/define-plugin.ts';
import type { Interrupt } from '../../src/contract/interrupt.ts';
import { textOf, toolCallsOf, type Message } from '../../src/contract/messages.ts';
import type { Plugin } from '../../src/contract/plugin.ts';
import type { SessionRecord, Store } from '../../src/contract/store.ts';
import type { ToolEffect } from '../../src/contract/tool-display.ts';
import { defineTool, type Tool } from '../../src/contract/tool.ts';
import { createAgent } from '../../src/create-agent.ts';
import { callPrefix } from '../../src/sessions/content/journal-keys.ts';
import { sqliteStore } from '../../src/sqlite/sqlite-store.ts';
import { pendingInterrupts } from '../../src/workers/answer-interrupts.ts';
import { effectsIn, type Effects } from './effects.ts';

export const sessionId = 'crash';

/**
 * The point at which a process dies: before or after its nth commit; right after the effect of a tool; or in the tick
 * of the event loop in which the result of a tool, or the answer that calls it, is held for the next commit.
 */
export type CrashPoint =
  | { readonly at: 'before' | 'after'; readonly commit: number }
  | { readonly at: 'effect' | 'result' | 'answer'; readonly tool: string };

const toolEffects: Readonly<Record<string, ToolEffect>> = {
  look: 'read',
  stamp: 'idempotent',
  pay: 'write',
  flaky: 'write',
  remove: 'write',
  note: 'write',
};

export function effectOf(tool: string): ToolEffect | undefined {
  return toolEffects[tool];
}

function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
}

export function openStore(folder: string): Store {
  return sqliteStore(join(folder, 'sessions.db'));
}

/** Returns a store that calls `onCommit` before and after each commit. */
export function watchedStore(
  store: Store,
  onCommit: (when: 'before' | 'after') => void | Promise<void>,
): Store {
  return {
    load: (id) => store.load(id),
    renew: (id, claim) => store.renew(id, claim),
    requestStop: (id) => store.requestStop(id),
    list: (filter) => store.list(filter),
    delete: (id) => store.delete(id),
    async commit(id, revision, change) {
      await onCommit('before');
      const next = await store.commit(id, revision, change);
      await onCommit('after');
      return next;
    },
  };
}

export function scenarioAgent(
  store: Store,
  effects: Effects,
  changes: Partial<AgentOptions> = {},
): Promise<Agent> {
  return createAgent({
    model: scenarioModel(),
    tools: scenarioTools(effects),
    plugins: scenarioPlugins(effects),
    store,
    log: 'silent',
    ...changes,
  });
}

export function scenarioTools(effects: Effects): Tool[] {
  return Object.entries(toolEffects).map(([name, effect]) =>
    defineTool({
      name,
      description: `Has an effect: ${name}.`,
      input: { type: 'object' },
      effect,
      async execute(_, { idempotencyKey }) {
        const isFirst = effects.all().every(({ tool }) => tool !== name);
        // A retry after a failure has the same key, and is the only execution that may be repeated.
        const isRetry = name === 'flaky' && !isFirst;
        await effects.put({ tool: name, key: isRetry ? `${idempotencyKey} again` : idempotencyKey });
        if (name === 'flaky' && isFirst) throw new Error('not yet');
        return doneText(name);
      },
    }),
  );
}

/** Creates the plugins. The first one must stay outermost, because it counts the calls that enter the layers. */
export function scenarioPlugins(effects: Effects): [Plugin, ...Plugin[]] {
  return [counts(), retry(), approval(), summary(), reminder(), hooksWithEffects(effects)];
}

function doneText(tool: string): string {
  return `${tool}: done`;
}

/** Creates a model that decides by the messages alone, so that it acts alike in every process. */
export function scenarioModel(): ScriptedModel {
  const turns: readonly (readonly string[])[] = [
    ['look', 'stamp', 'pay'],
    ['flaky', 'remove', 'look'],
    ['note'],
  ];
  const step: (request: { readonly messages: readonly Message[] }) => ScriptedStep = ({ messages }) => {
    const told = messages
      .map((message) => (message.role === 'tool' ? message.name : textOf(message)))
      .join(' ');
    const missing = turns.findIndex((names) => names.some((name) => !told.includes(name)));
    const names = turns[missing];
    if (names === undefined) return { text: 'All is well.' };
    return { text: 'Go on.', toolCalls: names.map((name) => ({ name, id: `turn${missing}_${name}` })) };
  };
  return scriptedModel(Array.from({ length: 50 }, () => step));
}

function retry(): Plugin {
  return definePlugin({
    name: 'retry',
    priority: 36,
    async wrapToolCall(call, next) {
      const result = await next(call);
      return result.isError === true ? next(call) : result;
    },
  })();
}

function approval(): Plugin {
  return definePlugin({
    name: 'approval',
    setup({ hooks }) {
      hooks.wrapToolCall.tapPromise({ name: 'ask', gate: true }, async (call, next, scope) => {
        if (call.name === 'remove')
          await scope.interrupt({ kind: 'approval', payload: call.name, answer: { const: 'yes' } });
        return next(call);
      });
    },
  })();
}

/**
 * Counts the calls that enter the layers, outside approval and retry; the calls that reach the gate; the turns; and the
 * ends.
 */
function counts(): Plugin {
  return definePlugin({
    name: 'counts',
    priority: 80,
    setup({ hooks, state }) {
      const calls = state<number>({ key: 'calls', initial: () => 0 });
      const gated = state<number>({ key: 'gated', scope: 'run', initial: () => 0 });
      const turns = state<number>({ key: 'turns', initial: () => 0 });
      const ends = state<number>({ key: 'ends', scope: 'run', initial: () => 0 });
      const more = (count: number): number => count + 1;
      hooks.wrapToolCall.tapPromise('count', async (call, next, { run, once }) => {
        await once('count', () => calls.update(run, more) ?? null);
        return next(call);
      });
      hooks.wrapToolCall.tapPromise({ name: 'count', gate: true }, async (call, next, { run, once }) => {
        // `flaky` is not counted: the answer about its unknown effect may decide if it is executed again.
        if (call.name !== 'flaky') await once('count', () => gated.update(run, more) ?? null);
        return next(call);
      });
      hooks.afterModel.tap('count', async (_, run) => {
        await run.once('count', () => turns.update(run, more) ?? null);
      });
      hooks.afterAgent.tap('count', async ({ outcome }, run) => {
        if (outcome === 'completed') await run.once('count', () => ends.update(run, more) ?? null);
      });
    },
  })();
}

/** Replaces the first two turns with one message, and counts in the session's state how often it did so. */
function summary(): Plugin {
  return definePlugin({
    name: 'summary',
    setup({ hooks, state }) {
      const rounds = state<number>({ key: 'rounds', initial: () => 0 });
      hooks.beforeModel.tap('summarize', async (request, run) => {
        const { messages } = request;
        const done = messages.some((message) => message.role === 'tool' && message.name === 'flaky');
        if (!done) return undefined;
        await run.once('round', () => rounds.update(run, (count) => count + 1) ?? null);
        const told = messages.flatMap((message) => (message.role === 'tool' ? [message.name] : []));
        const content = [{ type: 'text' as const, text: `Summary: ${told.join(', ')}.` }];
        return {
          ...request,
          messages: [{ id: `summary_${run.id}`, role: 'user' as const, source: 'summary', content }],
        };
      });
    },
  })();
}

/** Adds a message in each step, so that a step with `beforeModel` called twice has one too many. */
function reminder(): Plugin {
  return definePlugin({
    name: 'reminder',
    beforeModel(request, { step }) {
      const content = [{ type: 'text' as const, text: `Step ${step}.` }];
      const reminding = { id: `reminder_${step}`, role: 'user' as const, source: 'reminder', content };
      return { ...request, messages: [...request.messages, reminding] };
    },
  })();
}

function hooksWithEffects(effects: Effects): Plugin {
  return definePlugin({
    name: 'once',
    setup({ hooks, state }) {
      const turns = state<number>({ key: 'turns', scope: 'run', initial: () => 0 });
      const greet = async (tool: string): Promise<string> => {
        await effects.put({ tool, key: tool });
        return tool;
      };
      hooks.beforeAgent.tap('greet', async (run) => void (await run.once('hello', () => greet('hello'))));
      hooks.afterModel.tap('count', async (_, run) => {
        await run.once('count', () => turns.update(run, (count) => count + 1) ?? null);
      });
      hooks.afterAgent.tap('part', async (result, run) => {
        if (result.outcome === 'completed') await run.once('bye', () => greet('bye'));
      });
    },
  })();
}

/**
 * Runs or resumes the session until its run is completed. Returns its questions: it approves calls, and answers
 * questions about unknown effects by the recorded effects.
 */
export async function goToEnd(store: Store, agent: Agent, effects: Effects): Promise<Interrupt[]> {
  const asked: Interrupt[] = [];
  for (;;) {
    const record = await store.load(sessionId);
    if (record?.run === undefined) {
      await agent.run('Begin.', { sessionId });
      continue;
    }
    if (record.run.status === 'completed') return asked;
    const open = await pendingInterrupts(store, sessionId);
    asked.push(...open);
    const answers = open.map((interrupt) => [interrupt.id, answerTo(interrupt, effects, record)] as const);
    await agent.resume(sessionId, Object.fromEntries(answers));
  }
}

export function answerTo({ kind, call }: Interrupt, effects: Effects, record?: SessionRecord): JsonValue {
  if (kind !== 'unknown-effect' || call === undefined) return 'yes';
  const key = callPrefix(call.id);
  const finished = Object.entries(record?.journal ?? {}).filter(
    ([name, { type }]) => name.startsWith(key) && type === 'raw',
  ).length;
  const begun = effects.all().filter(({ tool }) => tool === call.name).length;
  if (call.name !== 'look' && begun > finished) return { action: 'result', result: doneText(call.name) };
  return { action: 'repeat' };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder = '', at, which = ''] = process.argv;
  const point: CrashPoint =
    at === 'before' || at === 'after'
      ? { at, commit: Number(which) }
      : { at: at === 'result' || at === 'answer' ? at : 'effect', tool: which };
  let commits = 0;
  const store = watchedStore(openStore(folder), (when) => {
    if (when === 'before') commits += 1;
    return point.at === when && point.commit === commits ? die() : undefined;
  });
  const file = effectsIn(folder);
  const effects: Effects = {
    all: () => file.all(),
    async put(effect) {
      await file.put(effect);
      if (point.at === 'effect' && point.tool === effect.tool) await die();
    },
  };
  const dying = definePlugin({
    name: 'dying',
    priority: 0,
    async wrapToolCall(call, next) {
      const result = await next(call);
      return point.at === 'result' && point.tool === call.name ? die() : result;
    },
    // Asynchronous, so that the answer is held for the next commit while the run waits for this tap.
    async afterModel({ message }) {
      if (point.at !== 'answer') return undefined;
      return toolCallsOf(message).some(({ name }) => name === point.tool) ? die() : undefined;
    },
  });
  const plugins = [...scenarioPlugins(effects), dying()];
  const agent = await scenarioAgent(store, effects, { plugins });
  await goToEnd(store, agent, effects);
  await agent.close();
}
