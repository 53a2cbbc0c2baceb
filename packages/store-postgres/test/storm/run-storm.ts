import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { isShallotError } from '@shallot/core';
import type { SessionRecord } from '@shallot/core/store';
import { answerInterrupts, pendingInterrupts } from '@shallot/core/work';

import { postgresStore, type PostgresStore } from '../../src/postgres-store.ts';
import { type PostgresServer, query } from '../postgres-server.ts';
import type { StormTerms } from '../programs/storm-process.ts';
import { startProxy } from '../start-proxy.ts';
import { makeTrouble, type Troubles } from './make-trouble.ts';
import { StormChild } from './storm-child.ts';
import { createLedger, readLedger, type StormLedger } from './storm-ledger.ts';
import type { Storm } from './storm.ts';

/** The state after a storm. */
export interface Aftermath {
  readonly records: ReadonlyMap<string, SessionRecord>;
  readonly ledger: StormLedger;
  /**
   * The lines that followers recorded for each session, in order: messages by their ids, and questions by their calls.
   */
  readonly seen: ReadonlyMap<string, readonly string[]>;
  /** The questions that were answered, as session and call. */
  readonly asked: readonly string[];
  /** The runs that were accepted in sessions that are deleted again and again, as `session run`. */
  readonly visits: readonly string[];
  readonly parked: readonly string[];
  /** True if the programs had not seen all their sessions end when commits stopped. */
  readonly isCutShort: boolean;
  readonly troubles: Troubles;
}

/** The time without a commit after which no session is expected to end any more, even on a slow machine. */
const patienceMs = 60_000;

/** The possible differences between the clocks of processes, in hours. */
const clocksOffBy = [0, 1, -2, 28];

/** Lets processes work on sessions while trouble is caused, and then until every session has ended. */
export async function runStorm(server: PostgresServer, storm: Storm): Promise<Aftermath> {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-storm-'));
  const [seen, over] = [join(folder, 'seen'), join(folder, 'over')];
  mkdirSync(seen);
  const url = await server.newDatabase();
  const store = postgresStore({ url, queue: true });
  await store.migrate();
  await createLedger(url);
  const random = randomFrom(storm.seed);
  const processes = await startProcesses(storm, { directUrl: url, seen, over }, random);
  const answering = new AbortController();
  try {
    const asked: string[] = [];
    const unsure = new Set<string>();
    const parked = new Set<string>();
    const answers = answerAll(store, { asked, unsure, parked }, answering.signal);
    const troubles = await makeTrouble(storm, { processes, server, url, store, random });
    writeFileSync(over, '');
    // The programs finish everything that they have begun. A session that never ends shows in its record.
    const through = Promise.race([answers, Promise.all(processes.map((each) => each.through))]);
    const isCutShort = !(await endsInTime(url, through));
    answering.abort();
    await answers;
    for (const { crashed } of processes) if (crashed !== undefined) throw crashed;
    const records = new Map<string, SessionRecord>();
    for await (const { id } of store.list({ prefix: 's-' })) {
      const record = await store.load(id);
      if (record !== undefined) records.set(id, record);
    }
    const lines = readSeen(seen);
    return {
      records,
      ledger: await readLedger(url),
      seen: new Map([...lines].filter(([id]) => id.startsWith('s-'))),
      asked: [...asked, ...[...unsure].filter((each) => !asked.includes(each))],
      visits: visitsOf(lines),
      parked: [...parked],
      isCutShort,
      troubles,
    };
  } finally {
    answering.abort();
    for (const each of processes) each.end();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits as long as there are commits. Returns false if they stop before `ending` has settled. */
async function endsInTime(url: string, ending: Promise<unknown>): Promise<boolean> {
  const settled = ending.then(() => true);
  let [last, since] = ['', performance.now()];
  while (performance.now() - since < patienceMs) {
    if (await Promise.race([settled, sleep(500, false)])) return true;
    const [row] = await query(url, 'SELECT last_value::text AS revision FROM shallot.revisions');
    if (row?.['revision'] === last) continue;
    [last, since] = [String(row?.['revision']), performance.now()];
  }
  return false;
}

function readSeen(folder: string): ReadonlyMap<string, readonly string[]> {
  const linesOf = (id: string): string[] => readFileSync(join(folder, id), 'utf8').trimEnd().split('\n');
  return new Map(readdirSync(folder).map((id) => [id, linesOf(id)]));
}

function visitsOf(lines: ReadonlyMap<string, readonly string[]>): string[] {
  return [...lines].flatMap(([id, all]) =>
    id.startsWith('visit-') ? all.map((line) => line.replace('accepted', id)) : [],
  );
}

async function startProcesses(
  { workers, programs, steps, toolMs, claimMs, atOnce }: Storm,
  common: Pick<StormTerms, 'directUrl' | 'seen' | 'over'>,
  random: () => number,
): Promise<StormChild[]> {
  const newClock = (): number => (clocksOffBy[Math.floor(random() * clocksOffBy.length)] ?? 0) * 3_600_000;
  const start = async (own: Pick<StormTerms, 'role' | 'host' | 'agents'>): Promise<StormChild> => {
    const proxy = await startProxy(common.directUrl);
    const terms = { ...common, ...own, url: proxy.url, steps, toolMs, claimMs, atOnce, clockOffMs: 0 };
    return new StormChild(proxy, terms, newClock);
  };
  return Promise.all([
    ...workers.map((agent, index) => start({ role: 'worker', host: `worker${index}`, agents: [agent] })),
    ...Array.from({ length: programs }, (_, index) =>
      start({ role: 'program', host: `program${index}`, agents: workers }),
    ),
  ]);
}

/** Answers all questions until the storm is over. */
async function answerAll(
  store: PostgresStore,
  found: Answered & { readonly parked: Set<string> },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const { id } of store.list({ status: 'interrupted' })) await answerOpen(store, id, found);
      // No model or tool fails here by itself, so a parked run is a fault.
      for await (const { id } of store.list({ status: 'parked' })) found.parked.add(id);
    } catch (error) {
      // Another process was first, or the database is unavailable.
      if (!isShallotError(error)) throw error;
    }
    // The session of a parked run never ends, so there is no use in waiting.
    if (found.parked.size > 0) return;
    await sleep(200);
  }
}

interface Answered {
  readonly asked: string[];
  /**
   * The questions that may be answered although the attempt failed, because the database became unavailable before it
   * could respond.
   */
  readonly unsure: Set<string>;
}

async function answerOpen(store: PostgresStore, id: string, { asked, unsure }: Answered): Promise<void> {
  for (const interrupt of await pendingInterrupts(store, id)) {
    const question = `${id} ${interrupt.call?.id}`;
    try {
      await answerInterrupts(store, id, { [interrupt.id]: 'yes' }, { waitMs: 0 });
      asked.push(question);
    } catch (error) {
      unsure.add(question);
      throw error;
    }
  }
}

/** Returns random numbers from 0 to 1 that depend only on the seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
