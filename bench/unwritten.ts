// Runs in its own process: `node unwritten.ts memory|sqlite|postgres`. Measures this process's CPU microseconds for
// steps that nobody writes to, with an inbox and without.
import { createAgent, defineTool, memoryStore, type Agent } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import { sqliteStore } from '@shallot/core/sqlite';
import type { Store } from '@shallot/core/store';
import { postgresStore } from '@shallot/store-postgres';

import { startPostgres } from '../packages/store-postgres/test/postgres-server.ts';
import { cpuMicros, median } from './measures/samples.ts';
import { takeTurns } from './measures/turns.ts';
import { temporaryFile } from './temporary-file.ts';

const steps = 20;
const samples = 60;
const warmup = 20;

const count = defineTool({
  name: 'count',
  description: 'Counts.',
  input: { type: 'object' },
  effect: 'read',
  execute: () => 'counted',
});
/** A model that calls the tool in each step but the last. */
const model: ChatModel = {
  id: 'bench/unwritten',
  generate: async ({ messages }) =>
    messages.length < 2 * steps - 1
      ? {
          message: { role: 'assistant', content: [{ type: 'tool-call', id: 'c', name: 'count', input: {} }] },
          finish: 'tool-calls',
        }
      : { message: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }, finish: 'stop' },
};

const [, , kind = 'sqlite'] = process.argv;
const server = kind === 'postgres' ? await startPostgres(18) : undefined;
const place = await server?.newDatabase();
const [withInbox, withoutInbox] = [open(), without(open())];
let runs = 0;
const turns = await takeTurns([timer(await agentOn(withoutInbox)), timer(await agentOn(withInbox))], {
  warmup,
  samples,
});
const withoutUs = median(turns.map(([without]) => without / steps));
const withUs = median(turns.map(([, whole]) => whole / steps));
const ratio = median(turns.map(([without, whole]) => whole / without));
for (const store of [withInbox, withoutInbox]) await store.close?.();
await server?.stop();
process.stdout.write(`\n${JSON.stringify({ ratio, withUs, withoutUs })}\n`);

function open(): Store {
  if (kind === 'memory') return memoryStore();
  return place === undefined ? sqliteStore(temporaryFile('sessions.db')) : postgresStore({ url: place });
}

/** Returns the store without the methods of the inbox. */
function without(store: Store): Store {
  for (const member of ['send', 'inbox', 'unsend', 'watchInbox']) Reflect.deleteProperty(store, member);
  return store;
}

function agentOn(own: Store): Promise<Agent> {
  return createAgent({ model, tools: [count], store: own, maxSteps: steps, log: 'silent' });
}

function timer(agent: Agent): () => Promise<number> {
  return async () => {
    const begun = process.cpuUsage();
    await agent.run('Go', { sessionId: `session-${(runs += 1)}` });
    return cpuMicros(begun);
  };
}
