import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import { definePlugin, type Plugin, type RunResult, memoryStore } from '@shallot/core';
import type { ToolScope } from '@shallot/core/plugin';

import { resultOf, type PluginSubject } from '../plugin-suite.ts';

const kind = 'conformance_ask';
const sessionId = 'conformance';

/**
 * Pauses a call inside the plugin: in a layer, at a gate, and about its result. Each time, the run is also resumed
 * without an answer. The plugin's state must then be that of a run without a pause.
 */
export async function hasSameState(subject: PluginSubject): Promise<void> {
  const [expected, other] = [await stateAfter(subject, 'straight'), await stateAfter(subject, 'straight')];
  const found = await stateAfter(subject, 'paused');
  if (expected === undefined || other === undefined || found === undefined) return;
  assert.deepEqual(
    differences('state', expected, other, found),
    [],
    'after a call was interrupted and resumed, the state differs from that of an uninterrupted run; a layer is entered again for each answer to a call: count inside once, together with the decision',
  );
}

/**
 * Returns the plugin's state after a run; undefined if the run does not complete, since the plugin itself may ask or
 * refuse.
 */
async function stateAfter(subject: PluginSubject, how: 'straight' | 'paused'): Promise<unknown> {
  const store = memoryStore();
  const plugins = [subject.plugin(), asker(how === 'paused')];
  const { outcome } = await subject.withAgent({ store, plugins }, async (agent) => {
    let result = await resultOf(agent.run('Tell me of onions.', { sessionId }));
    for (;;) {
      const question = openQuestion(result);
      if (question === undefined) return result;
      await resultOf(agent.resume(sessionId));
      result = await resultOf(agent.resume(sessionId, { [question]: 'yes' }));
    }
  });
  const { state, run } = (await store.load(sessionId)) ?? {};
  await nextMillisecond();
  const { name } = subject.definition;
  return outcome === 'completed' ? { session: state?.[name], run: run?.state[name] } : undefined;
}

function openQuestion({ interrupts }: RunResult): string | undefined {
  return interrupts.find((interrupt) => interrupt.kind === kind)?.id;
}

function asker(asks: boolean): Plugin {
  const ask = async ({ interrupt }: ToolScope, payload: string): Promise<void> => {
    if (asks) await interrupt({ kind, payload, answer: { type: 'string' } });
  };
  return definePlugin({
    name: 'conformance-asker',
    priority: 0,
    setup({ hooks }) {
      hooks.wrapToolCall.tapPromise('ask', async (call, next, scope) => {
        await ask(scope, 'May it begin?');
        const result = await next(call);
        await ask(scope, 'Is that its result?');
        return result;
      });
      hooks.wrapToolCall.tapPromise({ name: 'ask', gate: true }, async (call, next, scope) => {
        await ask(scope, 'May it be executed?');
        return next(call);
      });
    },
  })();
}

/** Waits for the next millisecond, so that times which two runs keep differ. */
async function nextMillisecond(): Promise<void> {
  const now = Date.now();
  while (Date.now() === now) await sleep(1);
}

/**
 * Returns the places where a value is not as expected. Places where two undisturbed runs differ, such as times and
 * ids, do not count.
 */
function differences(path: string, expected: unknown, other: unknown, found: unknown): string[] {
  if (isDeepStrictEqual(expected, found)) return [];
  if (isDeepStrictEqual(expected, other))
    return [`${path} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`];
  if (!isRecord(expected) || !isRecord(other) || !isRecord(found)) return [];
  return Object.keys(expected).flatMap((key) =>
    differences(`${path}.${key}`, expected[key], other[key], found[key]),
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
