// Runs in its own process: `node --expose-gc served.ts clients|chunks|runs`. Measures what serving an agent over HTTP
// costs, against the same work without our server.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createBareServer } from 'node:http';
import { join } from 'node:path';
import { setImmediate as tick, setTimeout as delay } from 'node:timers/promises';

import { createAgent, defineTool, memoryStore, type Agent } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';

import { createServer, listen } from '../packages/server/src/index.ts';
import { median } from './measures/samples.ts';

const [runs, clients] = [50, 500];
const chunks = 3000;
const rounds = 3;
const limits = { requestsPerMinute: 1e9 };

const reading = join(import.meta.dirname, 'read-streams.ts');

const measures: Readonly<Record<string, () => Promise<Record<string, number>>>> = {
  clients: measureClients,
  chunks: measureChunks,
  runs: measureRuns,
};
const figures = await measures[process.argv[2] ?? '']?.();
process.stdout.write(`\n${JSON.stringify(figures)}\n`);
process.exit(0);

/** Measures the heap that a server needs per client, with 500 clients on 50 runs in progress. */
async function measureClients(): Promise<Record<string, number>> {
  const over = Promise.withResolvers<void>();
  const { agent, store } = await agentThat(async (emit) => {
    while (await Promise.race([over.promise.then(() => false), delay(100, true)])) await emit();
  });
  const server = createServer({ agent, store }, { concurrency: runs, limits });
  const listening = await listen(server, { port: 0 });
  for (let run = 0; run < runs; run += 1) await begin(server, `run-${run}`);
  await delay(500);
  const before = sizes();
  const urls = Array.from(
    { length: clients },
    (_, client) => `${listening.url}/sessions/run-${client % runs}/events`,
  );
  const reader = fork(reading, urls);
  await once(reader, 'message');
  await delay(1000);
  const after = sizes();
  over.resolve();
  await once(reader, 'message');
  reader.kill();
  return {
    heapKb: (after.heap - before.heap) / clients / 1000,
    rssKb: (after.rss - before.rss) / clients / 1000,
  };
}

function sizes(): { readonly heap: number; readonly rss: number } {
  for (let count = 0; count < 3; count += 1) globalThis.gc?.();
  const { heapUsed, rss, external } = process.memoryUsage();
  return { heap: heapUsed + external, rss };
}

/**
 * Measures the CPU time per chunk that is streamed to a client, and that of a hand-written server for the same bytes.
 */
async function measureChunks(): Promise<Record<string, number>> {
  let go = Promise.withResolvers<void>();
  const { agent, store } = await agentThat(async (emit) => {
    await go.promise;
    for (let chunk = 0; chunk < chunks; chunk += 1) {
      await emit();
      await tick();
    }
  });
  const server = createServer({ agent, store }, { limits });
  const listening = await listen(server, { port: 0 });
  const bare = createBareServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    void (async () => {
      response.write(':\n\n');
      await go.promise;
      for (let chunk = 0; chunk < chunks; chunk += 1) {
        const event = { type: 'text-delta', index: 0, text: 'word '.repeat(2) };
        response.write(
          `id: AbCdEfGh.${chunk}.1.AbCdEfGhIjKl\nevent: text-delta\ndata: ${JSON.stringify(event)}\n\n`,
        );
        await tick();
      }
      response.end();
    })();
  }).listen(0, '127.0.0.1');
  await once(bare, 'listening');
  const address = bare.address();
  const bareUrl = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    for (const [url, costs] of [
      [`${listening.url}/sessions/run-${round}/events`, ours],
      [bareUrl, theirs],
    ] as const) {
      go = Promise.withResolvers();
      if (costs === ours) await begin(server, `run-${round}`);
      const reader = fork(reading, [url]);
      await once(reader, 'message');
      const before = process.cpuUsage();
      go.resolve();
      await once(reader, 'message');
      costs.push(microseconds(before) / chunks);
      reader.kill();
    }
  }
  // The first rounds are not counted, because their code is still being compiled.
  const [oursUs, bareUs] = [median(ours.slice(1)), median(theirs.slice(1))];
  return { ratio: oursUs / bareUs, oursUs, bareUs };
}

/** Measures the CPU time of a run of ten steps that a server executes, against that of `agent.stream`. */
async function measureRuns(): Promise<Record<string, number>> {
  const [count, atOnce] = [1000, 8];
  const { agent, store } = await agentThat(undefined);
  const server = createServer({ agent, store }, { concurrency: atOnce, limits });
  const served = async (id: string): Promise<void> =>
    void (await (await begin(server, id, '?wait=600')).text());
  const direct = async (sessionId: string): Promise<void> => {
    for await (const _ of agent.stream('Go', { sessionId })) continue;
  };
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    for (const [run, costs] of [
      [served, ours],
      [direct, theirs],
    ] as const) {
      const before = process.cpuUsage();
      let next = 0;
      const each = async (): Promise<void> => {
        while (next < count) await run(`${costs === ours ? 'served' : 'direct'}-${round}-${(next += 1)}`);
      };
      await Promise.all(Array.from({ length: atOnce }, each));
      costs.push(microseconds(before) / count);
    }
  }
  const [oursUs, directUs] = [median(ours.slice(1)), median(theirs.slice(1))];
  return { ratio: oursUs / directUs, oursUs, directUs };
}

function microseconds(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/**
 * Creates an agent whose answer streams the chunks that `stream` emits; without `stream`, its runs have ten steps that
 * answer at once.
 */
async function agentThat(
  stream: ((emit: () => Promise<void>) => Promise<void>) | undefined,
): Promise<{ readonly agent: Agent; readonly store: ReturnType<typeof memoryStore> }> {
  const text = 'word '.repeat(2);
  const model: ChatModel = {
    id: 'bench/served',
    async generate({ messages }, { emit }) {
      await stream?.(async () => emit({ type: 'text-delta', index: 0, text }));
      const step = messages.filter(({ role }) => role === 'assistant').length;
      const calls =
        stream === undefined && step < 9
          ? [{ type: 'tool-call' as const, id: `c${step}`, name: 'look', input: {} }]
          : [];
      return {
        message: { role: 'assistant', content: calls.length > 0 ? calls : [{ type: 'text', text: 'Done.' }] },
        finish: calls.length > 0 ? 'tool-calls' : 'stop',
      };
    },
  };
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    execute: () => 'seen',
  });
  const store = memoryStore();
  const agent = await createAgent({ name: 'bench', model, tools: [look], store, log: 'silent' });
  return { agent, store };
}

function begin(
  { fetch }: Pick<ReturnType<typeof createServer>, 'fetch'>,
  id: string,
  query = '',
): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ id, input: 'Go' });
  return fetch(new Request(`http://localhost/sessions${query}`, { method: 'POST', headers, body }));
}
