import { setTimeout as sleep } from 'node:timers/promises';

import { isShallotError } from '@shallot/core';
import { stopRun } from '@shallot/core/work';

import type { PostgresStore } from '../../src/postgres-store.ts';
import { type PostgresServer, query } from '../postgres-server.ts';
import type { StormChild } from './storm-child.ts';
import type { Storm } from './storm.ts';

/** All kinds of trouble for processes, connections and sessions; the last one is for the database itself. */
const kinds = ['kill', 'silence', 'stop', 'drop', 'stall', 'prune', 'reset', 'cut', 'restart'] as const;

type Kind = (typeof kinds)[number];

/** The number of events of each kind. */
export type Troubles = Readonly<Record<Kind | 'freeze', number>>;

/** The processes, server and database of a storm. */
interface Scene {
  readonly processes: readonly StormChild[];
  readonly server: PostgresServer;
  readonly url: string;
  /** A store whose connections are not disturbed. */
  readonly store: PostgresStore;
  readonly random: () => number;
}

/** Causes trouble until there were as many freezes as the storm asks for. */
export async function makeTrouble(storm: Storm, scene: Scene): Promise<Troubles> {
  const none = { kill: 0, silence: 0, stop: 0, drop: 0, stall: 0, prune: 0, reset: 0, cut: 0, restart: 0 };
  const done: Record<Kind | 'freeze', number> = { ...none, freeze: 0 };
  const freezing = Promise.all(
    Array.from({ length: storm.frozenAtOnce }, () => freezeInTurn(storm, scene, done)),
  );
  const over = new AbortController();
  const ended = freezing.then(() => over.abort());
  for (let turn = 0; !over.signal.aborted; turn += 1) {
    await Promise.race([sleep(storm.everyMs), ended]);
    const kind = kinds[turn % kinds.length] ?? 'kill';
    // A restart is rarer, because it disturbs all processes at once.
    if (kind === 'restart' && (turn + 1) % (kinds.length * storm.restartsEvery) !== 0) continue;
    await trouble[kind](storm, scene);
    done[kind] += 1;
  }
  return done;
}

async function freezeInTurn(
  { freezes, claimMs }: Storm,
  { processes, random }: Scene,
  done: { freeze: number },
): Promise<void> {
  while (done.freeze < freezes) {
    const awake = processes.filter(({ isFrozen }) => !isFrozen);
    const chosen = awake[Math.floor(random() * awake.length)];
    done.freeze += 1;
    await chosen?.freeze(claimMs * (0.7 + 1.8 * random()));
    await sleep(50);
  }
}

const trouble: Readonly<Record<Kind, (storm: Storm, scene: Scene) => Promise<unknown> | void>> = {
  kill: (_, scene) => oneOf(scene)?.kill(),
  silence: (_, scene) => oneOf(scene)?.proxy.silence(scene.random() < 0.5 ? 'both' : 'answers'),
  drop: (_, { processes }) => {
    for (const { proxy } of processes) proxy.cutAnswers();
  },
  stall: ({ claimMs }, scene) => oneOf(scene)?.proxy.stall(claimMs * 2 * scene.random()),
  reset: (_, scene) => oneOf(scene)?.proxy.reset(),
  stop: (_, { store, random }) => stopSome(store, random),
  prune: (_, { store }) => pruneVisits(store),
  cut: (_, { url }) =>
    query(
      url,
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    ).catch(() => undefined),
  restart: (_, { server }) => server.restart(),
};

function oneOf({ processes, random }: Scene): StormChild | undefined {
  return processes[Math.floor(random() * processes.length)];
}

async function stopSome(store: PostgresStore, random: () => number): Promise<void> {
  for await (const { id } of store.list({ prefix: 's-', status: 'running' }))
    if (random() < 0.2) await stopRun(store, id);
}

/** Deletes sessions by a listing that is slightly out of date, as a command might. */
async function pruneVisits(store: PostgresStore): Promise<void> {
  const seen: { readonly id: string; readonly revision: number }[] = [];
  for await (const summary of store.list({ prefix: 'visit-', status: 'completed' })) seen.push(summary);
  await sleep(100);
  for (const { id, revision } of seen) {
    try {
      await store.delete(id, { ifRevision: revision });
    } catch (error) {
      // A program has begun another run in this session.
      if (!isShallotError(error, 'STORE_CONFLICT')) throw error;
    }
  }
}
