// Measures workers over PostgreSQL on this machine: their cost while there is no work, the time until they are woken,
// how often they try to claim the same session, and how much longer the use of a long session takes. Run it with: node
// packages/store-postgres/test/programs/measure-workers.ts
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

import { createAgent } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import type { Store } from '@shallot/core/store';
import { submitRun, type WorkOptions } from '@shallot/core/work';

import { postgresStore } from '../../src/index.ts';
import { graphileQueue } from '../../src/queue/index.ts';
import { query, startPostgres } from '../postgres-server.ts';
import { createSession, type Use, uses, useSession } from '../use-session.ts';

// Autovacuum is off, because its own transactions would be counted.
const server = await startPostgres(18, ['max_connections=300', 'autovacuum=off']);
const stops: (() => Promise<unknown>)[] = [];

/** Starts a worker with its own connections, as if it were a separate process. */
async function startWorker(
  url: string,
  name: string,
  { queue: hasQueue, ...terms }: { readonly queue: boolean } & Omit<WorkOptions, 'queue'>,
  wrap: (store: Store) => Store = (store) => store,
): Promise<void> {
  const own = `${url}?application_name=${name}`;
  const store = postgresStore({ url: own, queue: hasQueue });
  const queue = hasQueue ? graphileQueue({ url: own }) : undefined;
  const agent = await createAgent({ name: 'measured', model, store: wrap(store), log: 'silent' });
  const stopping = new AbortController();
  const working = agent.work({ ...terms, signal: stopping.signal, ...(queue && { queue }) });
  stops.push(async () => {
    stopping.abort();
    await working;
    await agent.close();
    await queue?.close();
    await store.close();
  });
}

const model: ChatModel = {
  id: 'measured/model',
  async generate() {
    await sleep(20);
    return { message: { role: 'assistant', content: [{ type: 'text', text: 'done' }] }, finish: 'stop' };
  },
};

async function stopAll(): Promise<void> {
  await Promise.all(stops.splice(0).map((stop) => stop()));
}

async function commitsOf(url: string): Promise<number> {
  // The server updates its statistics after a connection has been idle for a second.
  await sleep(2000);
  const [row] = await query(
    url,
    'SELECT (xact_commit + xact_rollback)::float8 AS n FROM pg_stat_database WHERE datname = current_database()',
  );
  return (row as { readonly n: number }).n;
}

async function idle(workers: number, hasQueue: boolean): Promise<void> {
  const url = await server.newDatabase();
  for (let index = 0; index < workers; index += 1)
    await startWorker(url, `idle${index}`, { queue: hasQueue });
  await sleep(15_000);
  const before = await commitsOf(url);
  const since = performance.now();
  await sleep(60_000);
  // Without the two transactions that this count itself needed.
  const commits = (await commitsOf(url)) - before - 2;
  const minutes = (performance.now() - since) / 60_000;
  const [row] = await query(
    url,
    "SELECT count(*)::float8 AS n FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'idle%'",
  );
  const connections = (row as { readonly n: number }).n / workers;
  console.log(
    `${workers} idle ${hasQueue ? 'with a queue' : 'without a queue'}: ${(commits / workers / minutes).toFixed(1)} transactions a minute, ${connections.toFixed(1)} connections each`,
  );
  await stopAll();
}

async function wakes(busy: number): Promise<void> {
  const url = await server.newDatabase();
  const began = new Map<string, number>();
  const onEvent: NonNullable<WorkOptions['onEvent']> = (sessionId, { type }) =>
    void (type === 'run-start' && began.set(sessionId, performance.now()));
  for (let index = 0; index < 2; index += 1)
    await startWorker(url, `woken${index}`, { queue: true, onEvent, intervalMs: 60_000, concurrency: 16 });
  await sleep(3000);
  const store = postgresStore({ url, queue: true });
  stops.push(() => store.close());
  const over = new AbortController();
  const load = Array.from({ length: busy }, async (_, index) => {
    for (let n = 0; !over.signal.aborted; n += 1) {
      await submitRun(store, `load ${index} ${n}`, 'Go', { agent: 'measured' });
      await sleep(100);
    }
  });
  const times: number[] = [];
  for (let index = 0; index < 100; index += 1) {
    const id = `woken ${index}`;
    await submitRun(store, id, 'Go', { agent: 'measured' });
    const submitted = performance.now();
    while (!began.has(id)) await sleep(1);
    times.push(Math.max((began.get(id) ?? 0) - submitted, 0));
    await sleep(100);
  }
  over.abort();
  await Promise.all(load);
  const sorted = times.toSorted((a, b) => a - b);
  console.log(
    `woken with ${busy * 10} other runs a second: median ${sorted[50]?.toFixed(0)} ms, p90 ${sorted[90]?.toFixed(0)} ms, most ${sorted.at(-1)?.toFixed(0)} ms`,
  );
  await stopAll();
}

async function refusals(workers: number, runs: number): Promise<void> {
  const url = await server.newDatabase();
  const counts = { claimed: 0, refused: 0 };
  const counting = (store: Store): Store => ({
    ...store,
    async commit(sessionId, revision, change) {
      if (change.claim) counts.claimed += 1;
      return store.commit(sessionId, revision, change).catch((error: unknown) => {
        if (change.claim) counts.refused += 1;
        throw error;
      });
    },
  });
  const store = postgresStore({ url });
  stops.push(() => store.close());
  for (let index = 0; index < runs; index += 1)
    await submitRun(store, `s${index}`, 'Go', { agent: 'measured' });
  const since = performance.now();
  for (let index = 0; index < workers; index += 1)
    await startWorker(url, `taking${index}`, { queue: false }, counting);
  for (;;) {
    const { sessions = {} } = (await store.stats?.()) ?? {};
    if (sessions.completed === runs) break;
    await sleep(50);
  }
  const seconds = (performance.now() - since) / 1000;
  console.log(
    `${workers} workers, ${runs} runs: ${counts.refused} of ${counts.claimed} claims refused, ${seconds.toFixed(1)} s`,
  );
  await stopAll();
}

/** Measures how much longer each use of a session takes with 10,000 messages than with ten, as the median of pairs. */
async function lengths(pairs: number): Promise<void> {
  const url = await server.newDatabase();
  const [store, aside] = [postgresStore({ url }), postgresStore({ url })];
  stops.push(
    () => store.close(),
    () => aside.close(),
  );
  const ratios = new Map(uses.map((use): [Use, number[]] => [use, []]));
  const sizes = [10, 10_000];
  for (let pair = 0; pair < pairs; pair += 1)
    for (const messages of sizes) await createSession(aside, `${pair} of ${messages}`, messages);
  for (let pair = 0; pair < pairs; pair += 1) {
    const times = new Map<Use, number[]>(uses.map((use) => [use, []]));
    for (const messages of sizes) {
      await useSession({ store, aside }, `${pair} of ${messages}`, async (use, work) => {
        const since = performance.now();
        await work();
        times.get(use)?.push(performance.now() - since);
      });
    }
    for (const [use, [short = 0, long = 0]] of times) if (pair > 2) ratios.get(use)?.push(long / short);
  }
  for (const [use, all] of ratios) {
    const sorted = all.toSorted((a, b) => a - b);
    const [low, median, high] = [0.25, 0.5, 0.75].map((part) =>
      sorted[Math.floor(sorted.length * part)]?.toFixed(2),
    );
    console.log(`${use} in a session of 10,000 messages, to one of ten: ${median} (${low} to ${high})`);
  }
  await stopAll();
}

try {
  console.log(`load ${loadavg()[0]?.toFixed(1)}`);
  await lengths(40);
  await refusals(6, 300);
  await wakes(0);
  await wakes(5);
  await idle(1, false);
  await idle(1, true);
  await idle(50, true);
} finally {
  await stopAll();
  await server.stop();
}
