import { expect, it } from 'vitest';

import { childrenOf, delegate, doing, makeAsk } from '../../../test/children.ts';
import { createAgent, defineTool, memoryStore } from '../../index.ts';
import type { ChatModel } from '../../model.ts';
import type { Store } from '../../store.ts';

const tree = { mid: { model: doing('mid', ['delegate', { to: 'low' }]) } };

it('an answer that a child refuses opens the same question again, two levels up', async () => {
  const store = memoryStore();
  const given: unknown[] = [];
  // Its JSON Schema lets more through than the check itself.
  const answer = {
    '~standard': {
      version: 1 as const,
      vendor: 'test',
      validate: (value: unknown) =>
        value === 'blue' ? { value } : { issues: [{ message: `it is ${String(value)}` }] },
      jsonSchema: { input: () => ({ type: 'string' }), output: () => ({ type: 'string' }) },
    },
  };
  const ask = defineTool({
    name: 'ask',
    description: 'Asks.',
    input: { type: 'object' },
    async execute(_, { interrupt }) {
      const value = await interrupt({ kind: 'question', payload: 'Which?', answer });
      given.push(value);
      return value;
    },
  });
  const make = () =>
    createAgent({
      model: doing('root', ['delegate', { to: 'mid' }]),
      tools: [delegate({ ...tree, low: { model: doing('low', ['ask', {}]) } }), ask],
      store,
      log: 'silent',
    });
  const first = await (await make()).run('Go', { sessionId: 's' });
  const id = first.interrupts[0]?.id ?? '';
  const second = await (await make()).resume('s', { [id]: 'red' });
  expect(second.outcome).toBe('interrupted');
  expect(second.interrupts).toEqual(first.interrupts);
  expect(given).toEqual([]);
  const third = await (await make()).resume('s', { [id]: 'blue' });
  expect(third).toMatchObject({ outcome: 'completed', interrupts: [] });
  expect(given).toEqual(['blue']);
});

/** A model that asks in each of its steps. */
function askingForEver(name: string): ChatModel {
  return {
    id: name,
    generate: async ({ messages }) => ({
      message: {
        role: 'assistant',
        content: [
          { type: 'tool-call', id: `ask_${messages.length}`, name: 'ask', input: { n: messages.length } },
        ],
      },
      usage: { input: 1, output: 1, total: 2 },
      finish: 'tool-calls',
    }),
  };
}

async function makeAsker(store: Store, maxSteps: number, done: unknown[]) {
  return createAgent({
    model: doing('root', ['delegate', { to: 'mid' }]),
    tools: [delegate({ ...tree, low: { model: askingForEver('low'), maxSteps } }), makeAsk(done)],
    store,
    log: 'silent',
  });
}

it('a child that asks for ever ends at its last step, each of its questions asked once', async () => {
  const store = memoryStore();
  const done: unknown[] = [];
  const asked = new Set<string>();
  let result = await (await makeAsker(store, 5, done)).run('Go', { sessionId: 's' });
  for (let answers = 0; result.outcome === 'interrupted'; answers += 1) {
    expect(answers).toBeLessThan(5);
    expect(result.interrupts).toHaveLength(1);
    const [{ id } = { id: '' }] = result.interrupts;
    asked.add(id);
    result = await (await makeAsker(store, 5, done)).resume('s', { [id]: 'yes' });
  }
  expect(result.outcome).toBe('completed');
  expect([asked.size, done.length]).toEqual([5, 5]);
  expect(await childrenOf(store, 's')).toHaveLength(1);
});
