import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Agent } from '../agent.ts';
import { ShallotError } from '../base/errors.ts';
// An agent that says when it is about to do something, and waits for a message before it does: for a process that is
// stopped there. As a program: node sleeping-agent.ts FOLDER once|read, as a child with a channel for messages.
import { messageOf } from '../base/thrown.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { Store } from '../contract/store.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { sqliteStore } from '../sqlite/sqlite-store.ts';
import { scriptedModel } from '../testing/scripted-model.ts';

export const sessionId = 'sleeping';
const claimMs = 600;

interface Sleeping {
  /** Resolves when it goes on. */
  readonly pause: (before: 'once' | 'read') => Promise<void>;
  readonly begun: (what: string) => void;
}

export function sleepingStore(folder: string): Store {
  return sqliteStore(join(folder, 'sessions.db'));
}

export function sleepingAgent(store: Store, { pause, begun }: Sleeping): Promise<Agent> {
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    effect: 'read',
    execute() {
      begun('read');
      return 'seen';
    },
  });
  const sleeper = definePlugin({
    name: 'sleeper',
    async beforeAgent(run) {
      await pause('once');
      await run.once('hello', () => begun('once'));
    },
    async wrapToolCall(call, next) {
      await pause('read');
      return next(call);
    },
  })();
  return createAgent({
    model: scriptedModel([
      ({ messages }) => (messages.length > 1 ? { text: 'done' } : calls),
      { text: 'done' },
    ]),
    tools: [look],
    plugins: [sleeper],
    store,
    claimMs,
    log: 'silent',
  });
}

const calls = { toolCalls: [{ name: 'look' }] };

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder = '', at] = process.argv;
  const begun: string[] = [];
  const store = sleepingStore(folder);
  const agent = await sleepingAgent(store, {
    begun: (what) => void begun.push(what),
    async pause(before) {
      if (before !== at) return;
      // What came before is of no interest.
      begun.length = 0;
      process.send?.('waits');
      await once(process, 'message');
    },
  });
  const error = await agent.run('Begin.', { sessionId }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const code = error instanceof ShallotError ? error.code : messageOf(error);
  process.send?.({ begun, code });
  process.disconnect();
  await agent.close();
  await store.close?.();
}
