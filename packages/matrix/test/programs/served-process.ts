// A server that leaves its runs to workers, or one of these workers; all share one database. Once the process is ready,
// its role arrives on stdin. It may be killed at any moment.
import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

import { createAgent, defineTool, type AssistantMessage } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import { createServer, listen } from '@shallot/server';
import { postgresStore } from '@shallot/store-postgres';

/** The settings of such a process. */
export interface ServedTerms {
  readonly database: string;
  readonly steps: number;
}

// The parent process wrote this JSON.
const { database, steps } = JSON.parse(process.argv[2] ?? '') as ServedTerms;

/** Calls a tool in each step but one, in which it asks. It keeps no state, so any process can continue the run. */
const model: ChatModel = {
  id: 'test/steps',
  async generate({ messages }, { emit, wantsChunks }) {
    const step = messages.filter(({ role }) => role === 'assistant').length;
    const words = `Step ${step} looks at several things, one after the other.`.split(/(?<= )/);
    for (const text of wantsChunks ? words : []) {
      await emit({ type: 'text-delta', index: 0, text });
      await sleep(5);
    }
    const name = step === Math.floor(steps / 2) ? 'ask' : 'look';
    const call: AssistantMessage['content'] =
      step === steps - 1 ? [] : [{ type: 'tool-call', id: `call_${step}`, name, input: {} }];
    const content: AssistantMessage['content'] = [{ type: 'text', text: words.join('') }, ...call];
    return {
      message: { role: 'assistant', content },
      usage: { input: 10, output: 1, total: 11 },
      finish: call.length === 0 ? 'stop' : 'tool-calls',
    };
  },
};

const look = defineTool({
  name: 'look',
  description: 'Looks around.',
  input: { type: 'object', properties: {} },
  effect: 'read',
  async execute() {
    await sleep(20);
    return 'nothing';
  },
});

const ask = defineTool({
  name: 'ask',
  description: 'Asks.',
  input: { type: 'object', properties: {} },
  effect: 'idempotent',
  execute: (_, { interrupt }) =>
    interrupt({ kind: 'question', payload: 'Go on?', answer: { type: 'string' } }),
});

const store = postgresStore({ url: database, poolSize: 4 });
const agent = await createAgent({
  name: 'steps',
  model,
  store,
  tools: [look, ask],
  claimMs: 1500,
  log: 'silent',
});
// A killed process does not save what it has compiled, so without this each start would compile everything again.
flushCompileCache();
// Ends with the tests that started this process.
process.stdin.once('end', () => process.exit());
process.stdout.write('ready\n');
const [line] = (await once(process.stdin, 'data')) as [Buffer];
const { port } = JSON.parse(line.toString()) as { readonly port?: number };
if (port === undefined) {
  process.stdout.write('works\n');
  await agent.work({ concurrency: 4, intervalMs: 100, retryPauseMs: 20 });
} else {
  const limits = { requestsPerMinute: 1_000_000 };
  await listen(createServer({ agent, store }, { execute: 'workers', heartbeatMs: 500, limits }), { port });
  process.stdout.write('listens\n');
}
