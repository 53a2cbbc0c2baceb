import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { isShallotError } from '@shallot/core';
import type { SessionRecord } from '@shallot/core/store';
import { answerInterrupts, pendingInterrupts } from '@shallot/core/work';

import { postgresStore, type PostgresStore } from '../src/postgres-store.ts';
import { type PostgresServer, query } from './postgres-server.ts';
import type { StormTerms } from './programs/storm-process.ts';

/** How much is killed, and how often. */
export interface Storm {
  readonly seed: number;
  readonly workers: number;
  /** Processes that submit and follow. */
  readonly programs: number;
  readonly sessions: number;
  readonly steps: number;
  readonly toolMs: number;
  readonly claimMs: number;
  readonly kills: number;
  readonly everyMs: number;
  /** After so many kills the database is restarted. */
  readonly restartsAfter: readonly number[];
  /** After every so many kills the connections are cut. */
  readonly cutsEvery?: number;
}

/** The state after a storm. */
export interface Aftermath {
  readonly records: ReadonlyMap<string, SessionRecord>;
  /** Lines of the ledger: session, call, and what was done. */
  readonly ledger: readonly (readonly [session: string, call: string, what: string])[];
  /** The view of each session's followers, in order: messages by their ids, and questions by their calls. */
  readonly seen: ReadonlyMap<string, readonly string[]>;
  /** The questions that were answered: session and call. */
  readonly asked: readonly string[];
  readonly kills: number;
}

const program = new URL('./programs/storm-process.ts', import.meta.url).pathname;

/** Lets processes work on sessions while they are killed, until every session has ended. */
export async function runStorm(server: PostgresServer, storm: Storm): Promise<Aftermath> {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-storm-'));
  const ledger = join(folder, 'ledger');
  writeFileSync(ledger, '');
  const seen = join(folder, 'seen');
  mkdirSync(seen);
  const url = await server.newDatabase();
  const store = postgresStore({ url, queue: true });
  await store.migrate();
  const ids = Array.from({ length: storm.sessions }, (_, index) => `s${index}`);
  const processes = startProcesses(storm, { url, ledger, seen, ids });
  try {
    const over = new AbortController();
    const asked: string[] = [];
    const answering = answerAll(store, ids, asked, over.signal);
    const kills = await killAll(processes, storm, { server, url, ended: answering });
    await answering;
    over.abort();
    // They come to the end that the last answer led to.
    await Promise.all(processes.map(({ through }) => through));
    for (const { crashed } of processes) if (crashed !== undefined) throw crashed;
    const records = new Map<string, SessionRecord>();
    for (const id of ids) {
      const record = await store.load(id);
      if (record !== undefined) records.set(id, record);
    }
    return { records, ledger: readLedger(ledger), seen: readSeen(seen, ids), asked, kills };
  } finally {
    for (const each of processes) each.end();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function readSeen(folder: string, ids: readonly string[]): Aftermath['seen'] {
  return new Map(ids.map((id) => [id, linesOf(join(folder, id))]));
}

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

function readLedger(file: string): Aftermath['ledger'] {
  return linesOf(file).map((line) => {
    const [session = '', call = '', what = ''] = line.split(' ');
    return [session, call, what];
  });
}

/** A process that is started again when it was killed. */
class Restarted {
  readonly #terms: StormTerms;
  #child: ChildProcess | undefined;
  #isOver = false;
  /** Why a process ended that nobody killed. */
  crashed: Error | undefined;
  readonly #through = Promise.withResolvers<void>();
  /** Resolves when the process is at work. */
  ready: Promise<unknown> = Promise.resolve();

  constructor(terms: StormTerms) {
    this.#terms = terms;
    this.start();
  }

  start(): void {
    const child = spawn(process.execPath, [program, JSON.stringify(this.#terms)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    this.ready = Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    child.once('exit', (status) => {
      if (status === null) return;
      // A program that has seen all its sessions end is through.
      this.#isOver = true;
      if (status !== 0) this.crashed = new Error(`A ${this.#terms.role} ended with status ${status}.`);
      this.#through.resolve();
    });
  }

  /** Resolves when a program has seen all its sessions end; a worker has nothing to see. */
  get through(): Promise<void> {
    return this.#terms.role === 'worker' ? Promise.resolve() : this.#through.promise;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.#isOver) return;
    await this.ready;
    if (child.exitCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    if (!this.#isOver) this.start();
  }

  end(): void {
    this.#isOver = true;
    this.#child?.kill('SIGKILL');
  }
}

function startProcesses(
  { workers, programs, steps, toolMs, claimMs }: Storm,
  {
    ids,
    ...common
  }: {
    readonly url: string;
    readonly ledger: string;
    readonly seen: string;
    readonly ids: readonly string[];
  },
): Restarted[] {
  const made = (role: StormTerms['role'], count: number): Restarted[] =>
    Array.from(
      { length: count },
      (_, index) =>
        new Restarted({
          ...common,
          claimMs,
          steps,
          toolMs,
          role,
          host: `${role}-${index}`,
          // The clock of one is an hour off.
          clockOffMs: role === 'worker' && index === 0 ? 3_600_000 : 0,
          sessions: role === 'program' ? ids.filter((_, at) => at % count === index) : [],
        }),
    );
  return [...made('worker', workers), ...made('program', programs)];
}

/** Kills something at intervals. Gives how often it did. */
async function killAll(
  processes: readonly Restarted[],
  { seed, kills, everyMs, restartsAfter, cutsEvery = Infinity }: Storm,
  {
    server,
    url,
    ended,
  }: { readonly server: PostgresServer; readonly url: string; readonly ended: Promise<void> },
): Promise<number> {
  const random = randomFrom(seed);
  let isOver = false;
  const over = ended.then(() => void (isOver = true));
  let done = 0;
  while (done < kills) {
    await Promise.race([sleep(everyMs), over]);
    if (isOver) break;
    await processes[Math.floor(random() * processes.length)]?.kill();
    done += 1;
    if (restartsAfter.includes(done)) await server.restart();
    if (done % cutsEvery === 0) await cutConnections(url);
  }
  return done;
}

async function cutConnections(url: string): Promise<void> {
  const all =
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
  await query(url, all).catch(() => undefined);
}

/** Answers questions until every session has ended. */
async function answerAll(
  store: PostgresStore,
  ids: readonly string[],
  asked: string[],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if (await lookOnce(store, ids, asked)) return;
    } catch (error) {
      // Somebody else came first, or the database is away.
      if (!isShallotError(error)) throw error;
    }
    await sleep(200);
  }
}

async function lookOnce(store: PostgresStore, ids: readonly string[], asked: string[]): Promise<boolean> {
  let ended = 0;
  for await (const { id, status } of store.list()) {
    if (status === 'completed') ended += 1;
    if (status === 'interrupted') await answerOpen(store, id, asked);
    // None of them kills or fails anything: whatever happens to them comes from outside.
    if (status === 'parked') throw new Error(`the run of ${id} was parked`);
  }
  return ended === ids.length;
}

async function answerOpen(store: PostgresStore, id: string, asked: string[]): Promise<void> {
  for (const interrupt of await pendingInterrupts(store, id)) {
    await answerInterrupts(store, id, { [interrupt.id]: 'yes' }, { waitMs: 0 });
    asked.push(`${id} ${interrupt.call?.id}`);
  }
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
