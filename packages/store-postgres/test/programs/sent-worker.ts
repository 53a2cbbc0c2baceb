// A worker for the random walks with sent messages. Its model asks, calls and answers at random. It may be killed at
// any time.
import { setTimeout as sleep } from 'node:timers/promises';

import { createAgent, defineTool } from '@shallot/core';
import type { ChatModel, ModelResponse } from '@shallot/core/model';

import { postgresStore } from '../../src/postgres-store.ts';

const [, , url = ''] = process.argv;

let count = 0;
const model: ChatModel = {
  id: 'walk/1',
  async generate() {
    await sleep(10 + 30 * Math.random());
    const chance = Math.random();
    if (chance < 0.35) return said('Done.');
    count += 1;
    return calls(`call_${process.pid}_${count}`, chance < 0.5 ? 'ask' : 'look');
  },
};

function said(text: string): ModelResponse {
  return { message: { role: 'assistant', content: [{ type: 'text', text }] }, finish: 'stop' };
}

function calls(id: string, name: string): ModelResponse {
  return {
    message: { role: 'assistant', content: [{ type: 'tool-call', id, name, input: {} }] },
    finish: 'tool-calls',
  };
}

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  effect: 'read',
  execute: async () => {
    await sleep(30 * Math.random());
    return 'seen';
  },
});
const ask = defineTool({
  name: 'ask',
  description: 'Asks.',
  input: { type: 'object' },
  effect: 'idempotent',
  execute: async (_, { interrupt }) =>
    interrupt({ kind: 'question', payload: 'Sure?', answer: { type: 'string' } }),
});

const agent = await createAgent({
  name: 'walk',
  model,
  tools: [look, ask],
  store: postgresStore({ url, poolSize: 4 }),
  maxSteps: 6,
  claimMs: 2000,
  log: 'silent',
});
process.stdout.write('ready\n');
await agent.work({ concurrency: 10, intervalMs: 100, retryPauseMs: 20 });
