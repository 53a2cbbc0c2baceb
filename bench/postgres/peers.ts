// Runs in its own process. Compares a step, with 15 runs of ten steps at once, in Shallot over PostgreSQL and in what a
// user might take instead: two inserts by hand, DBOS, and LangGraph with its checkpointer. Model and tool answer at
// once.
import { DBOS } from '@dbos-inc/dbos-sdk';
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { createAgent, defineTool, type ToolEffect } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import { postgresStore } from '@shallot/store-postgres';
import { Pool } from 'pg';

import { startPostgres } from '../../packages/store-postgres/test/postgres-server.ts';
import { median } from '../measures/samples.ts';

const [atOnce, steps, warmup, rounds] = [15, 10, 8, 9];
const said = 'I look at the second frame, which holds eggs. '.repeat(6);
const result = 'The queen was seen near the lower edge at noon. '.repeat(10);

// The server does not wait for its disk, whose time is the same on all sides.
const server = await startPostgres(18, ['max_connections=200']);

/** Executes a run. `number` distinguishes it from others, and its ids are derived from it. */
type Run = (number: number) => Promise<void>;

interface Peer {
  readonly run: Run;
  close(): Promise<unknown>;
}

const peers = {
  hand: await byHand(),
  reading: await shallot('read'),
  writing: await shallot('write'),
  dbos: await dbos(),
  langgraph: await langGraph(),
};
type Key = keyof typeof peers;
const keys = Object.keys(peers) as Key[];
const times: Record<Key, number>[] = [];
let runs = 0;
for (let round = -warmup; round < rounds; round += 1) {
  const round1: Partial<Record<Key, number>> = {};
  for (const [index] of keys.entries()) {
    const key = keys[(index + round + warmup) % keys.length] ?? 'hand';
    round1[key] = await stepMs(peers[key].run);
  }
  // The first rounds are not counted, because their code is still being compiled.
  if (round >= 0) times.push(round1 as Record<Key, number>);
}
for (const peer of Object.values(peers)) await peer.close();
await server.stop();
const to = (key: Key, base: Key): number => median(times.map((each) => each[key] / each[base]));
process.stdout.write(
  `\n${JSON.stringify({
    reading: to('reading', 'hand'),
    writing: to('writing', 'hand'),
    dbos: to('reading', 'dbos'),
    langgraph: to('reading', 'langgraph'),
    handMs: median(times.map(({ hand }) => hand)),
    ownMs: median(times.map(({ reading }) => reading)),
  })}\n`,
);
process.exit(0);

/** Returns the milliseconds per step. */
async function stepMs(run: Run): Promise<number> {
  const since = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, () => {
      runs += 1;
      return run(runs);
    }),
  );
  return (performance.now() - since) / (atOnce * steps);
}

/** Inserts the answer and the tool result of each step in one transaction. */
async function byHand(): Promise<Peer> {
  const pool = new Pool({ connectionString: await server.newDatabase(), max: 10 });
  await pool.query(
    'CREATE TABLE messages (run integer, number integer, message text NOT NULL, PRIMARY KEY (run, number))',
  );
  const insert = 'INSERT INTO messages VALUES ($1, $2, $3)';
  return {
    async run(number) {
      for (let step = 0; step < steps; step += 1) {
        const client = await pool.connect();
        await client.query('BEGIN');
        await client.query(insert, [number, 2 * step, JSON.stringify({ role: 'assistant', content: said })]);
        await client.query(insert, [number, 2 * step + 1, JSON.stringify({ role: 'tool', content: result })]);
        await client.query('COMMIT');
        client.release();
      }
    },
    close: () => pool.end(),
  };
}

async function shallot(effect: ToolEffect): Promise<Peer> {
  const store = postgresStore({ url: await server.newDatabase() });
  const model: ChatModel = {
    id: 'bench/steps',
    async generate({ messages }) {
      const step = messages.filter(({ role }) => role === 'assistant').length + 1;
      const text = { type: 'text' as const, text: said };
      return step > steps
        ? { message: { role: 'assistant', content: [text] }, finish: 'stop' }
        : {
            message: {
              role: 'assistant',
              content: [text, { type: 'tool-call', id: `c${step}`, name: 'look', input: {} }],
            },
            finish: 'tool-calls',
          };
    },
  };
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    effect,
    execute: () => result,
  });
  const agent = await createAgent({ name: 'bench', model, tools: [look], store, log: 'silent' });
  return {
    async run(number) {
      await agent.run('Go', { sessionId: `run ${number}` });
    },
    async close() {
      await agent.close();
      await store.close();
    },
  };
}

async function dbos(): Promise<Peer> {
  DBOS.setConfig({
    name: 'bench',
    systemDatabaseUrl: await server.newDatabase(),
    logLevel: 'error',
    systemDatabasePoolSize: 10,
  });
  const workflow = DBOS.registerWorkflow(
    async () => {
      for (let step = 0; step < steps; step += 1) {
        await DBOS.runStep(async () => said, { name: `model ${step}` });
        await DBOS.runStep(async () => result, { name: `tool ${step}` });
      }
    },
    { name: 'steps' },
  );
  await DBOS.launch();
  return { run: async () => workflow(), close: () => DBOS.shutdown() };
}

async function langGraph(): Promise<Peer> {
  const saver = PostgresSaver.fromConnString(await server.newDatabase());
  await saver.setup();
  const callOf = (messages: readonly BaseMessage[]): AIMessage => {
    const step = messages.filter((message) => AIMessage.isInstance(message)).length + 1;
    const calls = step > steps ? [] : [{ id: `c${step}`, name: 'look', args: {} }];
    return new AIMessage({ content: said, tool_calls: calls });
  };
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('model', ({ messages }) => ({ messages: [callOf(messages)] }))
    .addNode('tool', ({ messages }) => {
      const last = messages.at(-1);
      const [call] = AIMessage.isInstance(last) ? (last.tool_calls ?? []) : [];
      return { messages: [new ToolMessage({ content: result, tool_call_id: call?.id ?? '' })] };
    })
    .addEdge(START, 'model')
    .addConditionalEdges('model', ({ messages }) => {
      const last = messages.at(-1);
      return AIMessage.isInstance(last) && (last.tool_calls ?? []).length > 0 ? 'tool' : END;
    })
    .addEdge('tool', 'model')
    .compile({ checkpointer: saver });
  return {
    async run(number) {
      const config = { configurable: { thread_id: `run ${number}` }, recursionLimit: 3 * steps };
      await graph.invoke({ messages: [new HumanMessage('Go')] }, config);
    },
    close: () => saver.end(),
  };
}
