import { expect, it } from 'vitest';

import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import { ShallotError } from '../../base/errors.ts';
import { definePlugin } from '../../contract/define-plugin.ts';
import type { Plugin } from '../../contract/plugin.ts';
import { defineTool } from '../../contract/tool.ts';
import { createAgent } from '../../create-agent.ts';
import { memoryStore } from '../../sessions/stores/memory-store.ts';

const pay = { toolCalls: [{ name: 'pay', args: { cents: 5 }, id: 'call_1' }] };

/** Calls `next` so often. */
function repeating(times: number): Plugin {
  return definePlugin({
    name: 'repeating',
    async wrapToolCall(call, next) {
      let result = await next(call);
      for (let more = times - 1; more > 0; more -= 1) result = await next(call);
      return result;
    },
  })();
}

/** The keys of the executions of a run; `outcomes` is what they come to, one after the other. */
async function keysOf(
  plugins: readonly Plugin[],
  outcomes: readonly (Error | string)[] = [],
  { store = memoryStore(), runs = 1 } = {},
): Promise<string[]> {
  const keys: string[] = [];
  const tool = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    effect: 'idempotent',
    execute(_, { idempotencyKey }) {
      keys.push(idempotencyKey);
      const outcome = outcomes[keys.length - 1] ?? 'paid';
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
  });
  const steps = Array.from({ length: runs }, () => [pay, { text: 'Done.' }]).flat();
  await using agent = await createAgent({
    log: 'silent',
    model: scriptedModel(steps),
    tools: [tool],
    plugins,
    store,
  });
  for (let run = 0; run < runs; run += 1) await agent.run('Pay.', { sessionId: 's' });
  return keys;
}

const transient = new ShallotError('MODEL_NETWORK', { message: 'timed out', transient: true });

it('each further execution has a key of its own, also after a failure', async () => {
  expect(new Set(await keysOf([repeating(3)])).size).toBe(3);
  expect(new Set(await keysOf([repeating(3)], [new Error('no such card'), 'paid'])).size).toBe(3);
});

it('an execution that is repeated after a transient failure keeps its key', async () => {
  const [first, second, third, fourth] = await keysOf([repeating(4)], [transient, transient, 'paid']);
  expect([second, third]).toEqual([first, first]);
  expect(fourth).not.toBe(first);
});

it('each of several parallel executions has a key of its own', async () => {
  const twice = definePlugin({
    name: 'twice',
    async wrapToolCall(call, next) {
      const [result] = await Promise.all([1, 2].map(() => next(call, { parallel: true })));
      return result ?? next(call);
    },
  })();
  expect(new Set(await keysOf([twice])).size).toBe(2);
});

it('another run has other keys, also in a session that was begun anew', async () => {
  const store = memoryStore();
  const keys = await keysOf([], [], { store, runs: 2 });
  await store.delete('s');
  keys.push(...(await keysOf([], [], { store })));
  expect(new Set(keys).size).toBe(3);
});

it('a run that is taken up goes on with the keys that it had', async () => {
  const store = memoryStore();
  const keys: string[] = [];
  let failures = 2;
  const asking = definePlugin({
    name: 'asking',
    async wrapToolCall(call, next, { interrupt }) {
      for (;;) {
        const result = await next(call);
        if (result.isError !== true) return result;
        await interrupt({ kind: 'again', payload: keys.length, answer: { type: 'string' } });
      }
    },
  })();
  const tool = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    execute(_, { idempotencyKey }) {
      keys.push(idempotencyKey);
      if ((failures -= 1) >= 0) throw transient;
      return 'paid';
    },
  });
  const options = { log: 'silent', tools: [tool], plugins: [asking], store } as const;
  await using agent = await createAgent({ ...options, model: scriptedModel([pay, { text: 'Done.' }]) });
  let { interrupts, outcome } = await agent.run('Pay.', { sessionId: 's' });
  for (let round = 0; outcome === 'interrupted' && round < 5; round += 1) {
    ({ interrupts, outcome } = await agent.resume('s', { [interrupts[0]?.id ?? '']: 'yes' }));
  }
  expect(outcome).toBe('completed');
  expect(keys).toEqual([keys[0], keys[0], keys[0]]);
});
