import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import type { Agent } from '../../src/agent.ts';
import { ShallotError } from '../../src/base/errors.ts';
// An agent that reports when it is about to do something, and pauses before it. As a program it suspends its own
// process there, while no operation of the store is pending: node sleeping-agent.ts FOLDER once|read, as a child with a
// channel for messages.
import { messageOf } from '../../src/base/thrown.ts';
import { definePlugin } from '../../src/contract/define-plugin.ts';
import type { Store } from '../../src/contract/store.ts';
import { defineTool } from '../../src/contract/tool.ts';
import { createAgent } from '../../src/create-agent.ts';
import { sqliteStore } from '../../src/sqlite/sqlite-store.ts';

export const sessionId = 'sleeping';
/** The lease of the process that is suspended: even on a busy machine, it must not expire before the suspension. */
const claimMs = 2000;

interface Sleeping {
  /** Resolves when the process continues. */
  readonly pause: (before: 'once' | 'read') => Promise<void>;
  readonly begun: (what: string) => void;
  /** Default: the agent's own default. */
  readonly claimMs?: number;
}

export function sleepingStore(folder: string): Store {
  return sqliteStore(join(folder, 'sessions.db'));
}

export function sleepingAgent(store: Store, { pause, begun, claimMs }: Sleeping): Promise<Agent> {
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
    ...(claimMs !== undefined && { claimMs }),
    log: 'silent',
  });
}

const calls = { toolCalls: [{ name: 'look' }] };

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder = '', at] = process.argv;
  const begun: string[] = [];
  const store = sleepingStore(folder);
  const agent = await sleepingAgent(store, {
    claimMs,
    begun: (what) => void begun.push(what),
    async pause(before) {
      if (before !== at) return;
      // Only work begun after the pause is of interest.
      begun.length = 0;
      await new Promise<void>((resolve) => {
        process.send?.('waits', () => resolve());
      });
      process.kill(process.pid, 'SIGSTOP');
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
