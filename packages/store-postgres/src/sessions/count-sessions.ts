import { ShallotError } from '@shallot/core';
import {
  countStats,
  decodeText,
  type Claim,
  type CountedSession,
  type RunRecord,
  type SessionStatus,
  type StoreStats,
} from '@shallot/core/store';

import type { Database } from '../database/database.ts';
import { claimOf } from './commit-session.ts';

interface Group extends Record<string, unknown> {
  readonly kind: 'sessions' | 'waiting' | 'running' | 'parked';
  readonly status: SessionStatus | null;
  readonly damaged: boolean;
  readonly agent: string | null;
  readonly version: string | null;
  readonly owner: string | null;
  readonly text: string | null;
  readonly ms: number | null;
  readonly count: number;
}

/**
 * Counts the sessions in one statement. The database groups them, and returns single rows only for runs in progress
 * and parked runs.
 */
export async function countSessions(database: Database): Promise<StoreStats> {
  const none = 'NULL::text';
  const sessions = `${database.schema}.sessions`;
  const groups = await database.query<Group>(
    `SELECT 'sessions' AS kind, status, damaged, ${none} AS agent, ${none} AS version, ${none} AS owner, ${none} AS text,
       NULL::float8 AS ms, count(*)::float8 AS count
     FROM ${sessions} WHERE status IS DISTINCT FROM 'parked' GROUP BY status, damaged
     UNION ALL
     SELECT 'waiting', NULL, false, agent, agent_version, owner, NULL,
       extract(epoch FROM clock_timestamp() - min(greatest(due, updated_at)))::float8 * 1000, count(*)::float8
     FROM ${sessions} WHERE due IS NOT NULL AND NOT damaged AND due <= clock_timestamp()
       AND (claim_expires IS NULL OR claim_expires <= clock_timestamp())
     GROUP BY agent, agent_version, owner
     UNION ALL
     SELECT 'running', NULL, false, NULL, NULL, NULL, claim, extract(epoch FROM claim_expires - clock_timestamp())::float8 * 1000, 1
     FROM ${sessions} WHERE claim_expires > clock_timestamp()
     UNION ALL
     SELECT 'parked', status, damaged, NULL, NULL, NULL, run, NULL, 1 FROM ${sessions} WHERE status = 'parked'`,
  );
  return countStats(groups.map(countedOf));
}

function countedOf({ kind, status, damaged, agent, version, owner, text, ms, count }: Group): CountedSession {
  const marks = { count, ...(damaged ? { damaged } : {}) };
  if (kind === 'sessions') return { ...marks, ...(status === null ? {} : { status }) };
  if (kind === 'parked') return { ...marks, status: 'parked', ...failureOf(text) };
  if (kind === 'running') return { count, ...heldBy(text, ms) };
  return {
    count,
    waitingMs: Math.max(0, ms ?? 0),
    ...(agent === null ? {} : { agent: decodeText(agent) }),
    ...(version === null ? {} : { version: decodeText(version) }),
    ...(owner === null ? {} : { owner: decodeText(owner) }),
  };
}

function heldBy(text: string | null, ms: number | null): { readonly claim?: Claim } {
  if (text === null) return {};
  try {
    return { claim: claimOf(text, ms ?? 0) };
  } catch {
    // A damaged claim names no process.
    return {};
  }
}

function failureOf(run: string | null): Pick<CountedSession, 'failure'> {
  if (run === null) return {};
  try {
    // The store wrote this text.
    const { failure } = JSON.parse(run) as RunRecord;
    return failure === undefined ? {} : { failure };
  } catch (cause) {
    return { failure: new ShallotError('STORE_DAMAGED', { message: 'The run cannot be read.', cause }) };
  }
}
