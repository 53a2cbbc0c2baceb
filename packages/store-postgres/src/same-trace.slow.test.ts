import { createAgent, defineTool, memoryStore, type Agent, type Message } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import { answerInterrupts, pendingInterrupts, followRun, submitRun } from '@shallot/core/work';
import { hookTrace, scriptedModel } from '@shallot/testing';
import { afterAll, expect, onTestFinished, test } from 'vitest';

import { startPostgres } from '../test/postgres-server.ts';
import { postgresStore } from './index.ts';

const server = await startPostgres(18);
afterAll(() => server.stop());

interface Traced {
  readonly agent: Agent;
  readonly lines: readonly string[];
}

/** An agent of two plugins whose run calls tools, one of which asks, and then answers. */
async function tracedAgent(store: Store): Promise<Traced> {
  const trace = hookTrace();
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    execute: () => 'seen',
  });
  const pay = defineTool({
    name: 'pay',
    description: 'Asks.',
    input: { type: 'object' },
    execute: (_, { interrupt }) =>
      interrupt({ kind: 'question', payload: 'Sure?', answer: { type: 'string' } }),
  });
  const calls = [
    { name: 'look', id: 'one' },
    { name: 'pay', id: 'two' },
  ];
  const agent = await createAgent({
    name: 'test',
    model: trace.model(scriptedModel([{ text: 'First', toolCalls: calls }, { text: 'Done' }])),
    tools: [trace.tool(look), trace.tool(pay)],
    plugins: [trace.plugin('outer', 60), trace.plugin('inner', 30), trace.plugin('gate', 20, { gate: true })],
    toolConcurrency: 1,
    store,
    log: 'silent',
  });
  onTestFinished(() => agent.close());
  return { agent, lines: trace.lines };
}

/** Returns a message without its id and the times of answers, which are the run's own. */
const said = ({ id: _, ...message }: Message): unknown =>
  JSON.parse(JSON.stringify(message, (key, value: unknown) => (key === 'at' ? undefined : value)));

test('a run by a worker over PostgreSQL has the hook trace, the messages and the end of one in process', async () => {
  const memory = memoryStore();
  const near = await tracedAgent(memory);
  const { interrupts } = await near.agent.run('Go', { sessionId: 's' });
  const result = await near.agent.resume('s', { [interrupts[0]?.id ?? '']: 'yes' });

  const store = postgresStore({ url: await server.newDatabase() });
  onTestFinished(() => store.close());
  const far = await tracedAgent(store);
  const stopping = new AbortController();
  const working = far.agent.work({ intervalMs: 20, signal: stopping.signal });
  onTestFinished(async () => {
    stopping.abort();
    await working;
  });
  await submitRun(store, 's', 'Go', { agent: 'test' });
  const messages: Message[] = [];
  const ends: unknown[] = [];
  for (const answers of [true, false]) {
    const after = messages.at(-1)?.id;
    for await (const event of followRun(store, 's', after === undefined ? {} : { after })) {
      if ('message' in event) messages.push(event.message);
      if (event.type === 'run-end') ends.push(event.outcome, event.stopReason);
    }
    const [open] = await pendingInterrupts(store, 's');
    if (answers) await answerInterrupts(store, 's', { [open?.id ?? '']: 'yes' });
  }
  // An interrupt's id is made of its run's.
  const plain = (lines: readonly string[]): readonly string[] =>
    lines.map((line) => line.replace(/int_[\w-]+/, 'int'));
  expect(plain(far.lines)).toEqual(plain(near.lines));
  expect(near.lines.length).toBeGreaterThan(20);
  expect(messages.map(said)).toEqual(result.messages.map(said));
  expect(ends).toEqual(['interrupted', 'interrupt', result.outcome, result.stopReason]);
});
