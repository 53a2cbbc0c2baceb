import { createHash, randomUUID } from 'node:crypto';

import {
  checkClaim,
  checkFormat,
  checkReplace,
  checkRevision,
  decodeText,
  encodeText,
  isClaimLive,
  recordFormat,
  runColumns,
  type Claim,
  parseFrozen,
  type SessionAbout,
  type SessionChange,
} from '@shallot/core/store';

import type { Database } from '../database/database.ts';
import { commitCall, type Answer, type CommitBatches } from './commit-batches.ts';

/** The state of a session after a commit. */
export interface Committed {
  readonly revision: number;
  /** True if the commit found its inbox empty. */
  readonly isNothingSent: boolean;
}

/** Applies a change in one round trip. If the response is lost, retries with the same commit id. */
export async function commitSession(
  database: Database,
  batches: CommitBatches,
  sessionId: string,
  revision: number,
  change: SessionChange,
): Promise<Committed> {
  const commitId = randomUUID();
  let dead: string | null = null;
  for (;;) {
    const values = [
      ...valuesOf(sessionId, commitId, revision, change),
      database.wakesWorkers,
      dead,
      ...aboutValues(change.about),
    ] as const;
    const answer =
      change.taken === undefined
        ? await batches.commit(values)
        : await commitTaking(database, values, change.taken);
    if (answer.outcome === 'ok')
      return { revision: answer.number, isNothingSent: answer.held === 'nothing sent' };
    if (answer.outcome === 'format') checkFormat(sessionId, answer.number);
    if (answer.outcome === 'revision') checkRevision(sessionId, revision, answer.number);
    if (answer.outcome === 'replace') checkReplace(sessionId, change, answer.number);
    if (change.claim === undefined || change.claim === null || answer.held === null) throw impossible(answer);
    const held = claimOf(answer.held, answer.held_ms);
    checkClaim(sessionId, change.claim, held);
    // Only this machine can tell that the process of the claim is gone.
    dead = encodeText(held.owner);
  }
}

/** Commits in a transaction of its own, so that entries leave the inbox only if the commit succeeds. */
async function commitTaking(
  database: Database,
  values: readonly unknown[],
  taken: readonly string[],
): Promise<Answer> {
  const { schema } = database;
  const [answer] = await database.often<Answer & Record<string, unknown>>(
    `WITH committed AS MATERIALIZED (SELECT * FROM ${commitCall(schema, values)}), taken AS (
       DELETE FROM ${schema}.inbox i USING ${schema}.sessions s
       WHERE session_id = s.id AND s.digest = $1 AND i.digest = ANY ($${values.length + 1}::bytea[])
         AND (SELECT outcome FROM committed) = 'ok'
     )
     SELECT * FROM committed`,
    [...values, taken.map((id) => digestOf(encodeText(id)))],
  );
  if (answer === undefined) throw new Error(`PostgreSQL at ${database.where} returned nothing for a commit.`);
  return answer;
}

function impossible({ outcome }: Answer): Error {
  return new Error(`The database refused a commit (${outcome}) that fits its own data.`);
}

/** Returns a stored claim. The database reports the time until its expiry, in milliseconds. */
export function claimOf(text: string, leftMs: number): Claim {
  // The store wrote this text.
  const claim = JSON.parse(text) as Claim;
  return { ...claim, expiresAt: Math.round(Date.now() + leftMs) };
}

/** The columns of a session's notes. */
export interface AboutColumns {
  readonly about: string | null;
  readonly title: string | null;
}

/** Reads the notes about a session; `undefined` if there are none. */
export function aboutOf({ about, title }: AboutColumns): SessionAbout | undefined {
  if (about === null && title === null) return undefined;
  // The store wrote this text.
  const notes = about === null ? {} : (parseFrozen(about) as SessionAbout);
  return title === null ? notes : Object.freeze({ ...notes, title: decodeText(title) });
}

/** Returns the notes in their columns. The title is only in its own column. */
function aboutValues(about: SessionAbout | undefined): unknown[] {
  if (about === undefined) return [null, null, null, null];
  const { title, ...notes } = about;
  const columns = [about.owner, about.parent, title];
  return [JSON.stringify(notes), ...columns.map((text) => (text === undefined ? null : encodeText(text)))];
}

/** Returns true if a process may be working on the session. */
export function isHeld(text: string | null, leftMs: number | null): boolean {
  return text !== null && leftMs !== null && isClaimLive(claimOf(text, leftMs));
}

/** Returns a digest, by which rows with names too long for an index are found. */
export function digestOf(...texts: readonly string[]): Buffer {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text}\n`);
  return hash.digest();
}

function valuesOf(
  sessionId: string,
  commitId: string,
  revision: number,
  change: SessionChange,
): [digest: Buffer, ...unknown[]] {
  const { append = [], replace = [], run, claim } = change;
  const columns = runColumns(change);
  const session = encodeText(sessionId);
  const state = Object.entries(change.state ?? {}).flatMap(([plugin, keys]) =>
    Object.entries(keys).map(([key, entry]) => ({ plugin: encodeText(plugin), key: encodeText(key), entry })),
  );
  const journal = Object.entries(change.journal ?? {}).map(([key, entry]) => ({
    key: encodeText(key),
    entry,
  }));
  return [
    digestOf(session),
    session,
    commitId,
    revision,
    recordFormat,
    append.map(toText),
    replace.map(({ from }) => from),
    replace.map(({ to }) => to),
    replace.map(({ messages }) => messages.length),
    replace.flatMap(({ messages }) => messages.map(toText)),
    state.map(({ plugin, key }) => digestOf(plugin, key)),
    state.map(({ plugin }) => plugin),
    state.map(({ key }) => key),
    state.map(({ entry }) => toText(entry)),
    journal.map(({ key }) => digestOf(key)),
    journal.map(({ key }) => key),
    journal.map(({ entry }) => toText(entry)),
    run === undefined ? null : JSON.stringify(run),
    columns?.status ?? null,
    columns?.interrupts ?? null,
    columns?.isDueIfSent === true ? 0 : leftUntil(columns?.due),
    columns?.agent === undefined ? null : encodeText(columns.agent.id),
    columns?.agent?.version === undefined ? null : encodeText(columns.agent.version),
    run?.submitted?.isNew === true,
    ...claimValues(claim),
  ];
}

function toText(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

/**
 * Returns the milliseconds until a time. The database gets these instead of the time, because the clocks of machines
 * differ from its own.
 */
function leftUntil(time: number | undefined): number | null {
  if (time === undefined) return null;
  return Math.max(0, time - Date.now());
}

/**
 * Returns the SQL parameters for a claim: the action, its text, owner and host, and the milliseconds until its expiry.
 */
export function claimValues(claim: Claim | null | undefined): unknown[] {
  if (claim === undefined || claim === null)
    return [claim === null ? 'remove' : 'keep', null, null, null, null];
  return [
    'set',
    JSON.stringify(claim),
    encodeText(claim.owner),
    encodeText(claim.host),
    claim.expiresAt - Date.now(),
  ];
}
