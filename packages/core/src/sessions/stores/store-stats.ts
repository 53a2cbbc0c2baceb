import { isClaimLive, type Claim } from '../../base/claim.ts';
import { isShallotError } from '../../base/errors.ts';
import type {
  RunFailure,
  SessionStatus,
  SessionSummary,
  Store,
  StoreStats,
  WaitingRuns,
} from '../../contract/store.ts';

/**
 * Returns the numbers of a store's sessions, for operators: from its own `stats` if it has this method, otherwise from its
 * listings.
 */
export async function storeStats(store: Store): Promise<StoreStats> {
  return store.stats?.() ?? countListings(store);
}

async function countListings(store: Store): Promise<StoreStats> {
  const waiting = new Set<string>();
  for await (const { id } of store.list({ resumable: true })) waiting.add(id);
  const found: CountedSession[] = [];
  for await (const summary of store.list()) {
    const { id, status, updatedAt, agent, about, damaged } = summary;
    if (damaged === true) {
      found.push({ damaged });
      continue;
    }
    found.push({
      ...(status === undefined ? {} : { status }),
      ...(waiting.has(id) ? { waitingMs: Math.max(0, Date.now() - updatedAt) } : {}),
      ...(agent === undefined ? {} : { agent: agent.id }),
      ...(agent?.version === undefined ? {} : { version: agent.version }),
      ...(about?.owner === undefined ? {} : { owner: about.owner }),
      ...(await held(store, summary)),
    });
  }
  return countStats(found);
}

/** Returns the data that only the record has: the claim of a running session, and the error of a parked one. */
async function held(
  store: Store,
  { id, status }: SessionSummary,
): Promise<Pick<CountedSession, 'claim' | 'failure'>> {
  if (status !== 'running' && status !== 'parked') return {};
  try {
    const { claim, run } = (await store.load(id)) ?? {};
    const { failure } = run ?? {};
    return { ...(claim === undefined ? {} : { claim }), ...(failure === undefined ? {} : { failure }) };
  } catch (error) {
    // The listing already counts damaged sessions.
    if (isShallotError(error, 'STORE_DAMAGED')) return {};
    throw error;
  }
}

/** The facts about one or more sessions to count. */
export interface CountedSession {
  /** The number of sessions. Default: 1. */
  readonly count?: number;
  readonly status?: SessionStatus;
  readonly damaged?: true;
  /** The time that a run has waited for a worker, in milliseconds; undefined if it does not wait. */
  readonly waitingMs?: number;
  readonly agent?: string;
  readonly version?: string;
  readonly owner?: string;
  readonly claim?: Claim;
  readonly failure?: Pick<RunFailure, 'code'>;
}

/** Counts sessions, or groups of sessions. */
export function countStats(found: readonly CountedSession[]): StoreStats {
  const sessions: Partial<Record<SessionStatus, number>> = {};
  const waiting = new Map<string, WaitingRuns>();
  const running = new Map<string, StoreStats['running'][number]>();
  const parked = new Map<string, number>();
  let damaged = 0;
  for (const session of found) {
    const { status, claim, failure, waitingMs, count = 1 } = session;
    if (session.damaged === true) damaged += count;
    if (status !== undefined) sessions[status] = (sessions[status] ?? 0) + count;
    if (waitingMs !== undefined) addWaiting(waiting, session, waitingMs, count);
    if (status === 'parked') add(parked, failure?.code ?? 'unknown', count);
    if (claim === undefined || !isClaimLive(claim)) continue;
    const { host, pid } = claim;
    const key = JSON.stringify([host, pid]);
    running.set(key, { host, pid, count: (running.get(key)?.count ?? 0) + count });
  }
  return {
    sessions,
    damaged,
    waiting: [...waiting.values()].toSorted((a, b) => b.oldestMs - a.oldestMs),
    running: [...running.values()].toSorted((a, b) => b.count - a.count),
    parked: Array.from(parked, ([reason, count]) => ({ reason, count })),
  };
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

function addWaiting(
  waiting: Map<string, WaitingRuns>,
  { agent, version, owner }: CountedSession,
  waitingMs: number,
  count: number,
): void {
  const key = JSON.stringify([agent, version, owner]);
  const before = waiting.get(key);
  waiting.set(key, {
    ...(agent === undefined ? {} : { agent }),
    ...(version === undefined ? {} : { version }),
    ...(owner === undefined ? {} : { owner }),
    count: (before?.count ?? 0) + count,
    oldestMs: Math.max(before?.oldestMs ?? 0, waitingMs),
  });
}
