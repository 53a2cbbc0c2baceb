import { setImmediate as nextTick } from 'node:timers/promises';

import { createAgent, definePlugin, defineTool, isShallotError } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import { submitRun } from '@shallot/core/work';
import { postgresStore } from '@shallot/store-postgres';
import { graphileQueue } from '@shallot/store-postgres/queue';

import { startPostgres } from '../../packages/store-postgres/test/postgres-server.ts';

export interface Working {
  /** Submits a run in a session of its own. Resolves to the session's id once the run has ended. */
  run(): Promise<string>;
  /** Deletes a session, because those that were used last would otherwise stay in memory. */
  forget(sessionId: string): Promise<void>;
  /** The time, by `performance.now()`, at which the latest run called its first hook. */
  readonly hookAt: number;
  end(): Promise<void>;
}

/** Starts a worker in this process, over a PostgreSQL database, with a model and a tool that answer at once. */
export async function startWorking(
  steps: number,
  settings: readonly string[],
  concurrency = 8,
): Promise<Working> {
  const server = await startPostgres(18, settings);
  const url = await server.newDatabase();
  const store = postgresStore({ url, queue: true });
  await store.migrate();
  const queue = graphileQueue({ url });
  let hookAt = 0;
  const watch = definePlugin({
    name: 'watch',
    beforeAgent() {
      hookAt = performance.now();
    },
  });
  const agent = await createAgent({
    name: 'test',
    model: modelOf(steps),
    tools: [note],
    plugins: [watch()],
    store,
    log: 'silent',
  });
  const stopping = new AbortController();
  const ended = new Map<string, () => void>();
  const working = agent.work({
    queue,
    concurrency,
    signal: stopping.signal,
    onEvent(sessionId, { type }) {
      if (type !== 'run-end') return;
      ended.get(sessionId)?.();
      ended.delete(sessionId);
    },
  });
  let runs = 0;
  return {
    async run() {
      runs += 1;
      const sessionId = `session ${runs}`;
      const { promise: end, resolve } = Promise.withResolvers<void>();
      ended.set(sessionId, resolve);
      await submitRun(store, sessionId, 'Go', { agent: 'test' });
      await end;
      return sessionId;
    },
    async forget(sessionId) {
      // The worker releases a session only a moment after its run has ended, so this tries again until then.
      for (;;) {
        try {
          return void (await agent.deleteSession(sessionId));
        } catch (error) {
          if (!isShallotError(error, 'SESSION_BUSY')) throw error;
          await nextTick();
        }
      }
    },
    get hookAt() {
      return hookAt;
    },
    async end() {
      stopping.abort();
      await working;
      await agent.close();
      await queue.close();
      await store.close();
      await server.stop();
    },
  };
}

const note = defineTool({
  name: 'note',
  description: 'Notes.',
  input: { type: 'object' },
  execute: () => 'noted',
});

/** Returns a model that calls the tool in each step but the last. */
function modelOf(steps: number): ChatModel {
  return {
    id: 'bench/steps',
    async generate({ messages }) {
      const step = messages.filter(({ role }) => role === 'assistant').length + 1;
      return step < steps
        ? {
            message: {
              role: 'assistant',
              content: [{ type: 'tool-call', id: `c${step}`, name: 'note', input: {} }],
            },
            finish: 'tool-calls',
          }
        : { message: { role: 'assistant', content: [{ type: 'text', text: 'Done' }] }, finish: 'stop' };
    },
  };
}
