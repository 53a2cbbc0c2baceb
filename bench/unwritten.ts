// A process of its own: `node unwritten.ts`. CPU microseconds of steps on SQLite to which nobody writes, with an inbox and without.
import { createAgent, defineTool, type Agent } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import { sqliteStore } from '@shallot/core/sqlite';
import type { Store } from '@shallot/core/store';

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

const store = sqliteStore(temporaryFile('sessions.db'));
const withoutInbox: Store = {
  load: (id) => store.load(id),
  head: async (id) => store.head?.(id),
  commit: (id, revision, change) => store.commit(id, revision, change),
  renew: (id, claim) => store.renew(id, claim),
  requestStop: (id) => store.requestStop(id),
  list: (filter) => store.list(filter),
  delete: (id) => store.delete(id),
};
const withInbox: Store = {
  ...withoutInbox,
  send: async (id, entry) => (await store.send?.(id, entry)) ?? false,
  inbox: async (id, filter) => (await store.inbox?.(id, filter)) ?? [],
  unsend: async (id, entry) => (await store.unsend?.(id, entry)) ?? false,
  watchInbox: (id, heard) => store.watchInbox?.(id, heard) ?? (() => undefined),
};
let runs = 0;
const turns = await takeTurns([timer(await agentOn(withoutInbox)), timer(await agentOn(withInbox))], {
  warmup,
  samples,
});
const withoutUs = median(turns.map(([without]) => without / steps));
const withUs = median(turns.map(([, whole]) => whole / steps));
const ratio = median(turns.map(([without, whole]) => whole / without));
process.stdout.write(`\n${JSON.stringify({ ratio, withUs, withoutUs })}\n`);

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
