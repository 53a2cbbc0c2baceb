// A process that executes a run of a session with limits whenever it is asked to: node taking-turns.ts DATABASE
import { createAgent, defineTool, type Agent } from '@shallot/core';
import { sqliteStore } from '@shallot/core/sqlite';
import { scriptedModel } from '@shallot/testing';

import limits from '../src/index.ts';

/** The counts of one run of the session. */
export interface Turn {
  readonly executed: number;
  readonly sent: number;
  readonly stopReason: string;
}

/** Creates an agent whose runs ask for three tool calls at once, under limits of the session. */
export async function turnTaker(
  database: string,
): Promise<{ readonly take: () => Promise<Turn>; readonly agent: Agent }> {
  let executed = 0;
  const look = defineTool({
    name: 'look',
    description: 'Looks at a hive.',
    input: { type: 'object' },
    effect: 'read',
    execute: () => String((executed += 1)),
  });
  const three = { toolCalls: Array.from({ length: 3 }, () => ({ name: 'look', id: '' })) };
  const model = scriptedModel(
    Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? three : { text: 'Done.' })),
  );
  const agent = await createAgent({
    model,
    tools: [look],
    store: sqliteStore(database),
    plugins: [limits({ toolCalls: { session: 10 }, modelCalls: { session: 9 } })],
    log: 'silent',
  });
  return {
    agent,
    take: async () => {
      const before = { executed, sent: model.calls };
      const { stopReason } = await agent.run('Look.', { sessionId: 'shared' });
      return { executed: executed - before.executed, sent: model.calls - before.sent, stopReason };
    },
  };
}

if (process.send !== undefined && process.argv[1] === import.meta.filename) {
  const { take, agent } = await turnTaker(process.argv[2] ?? '');
  process.on('message', (order) => {
    if (order === 'take') void take().then((turn) => process.send?.(turn));
    else void agent.close().then(() => process.disconnect());
  });
  process.send('ready');
}
