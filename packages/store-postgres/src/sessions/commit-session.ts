import { createHash, randomUUID } from 'node:crypto';

import { ShallotError } from '@shallot/core';
import {
  checkClaim,
  checkFormat,
  checkReplace,
  checkRevision,
  dueAt,
  encodeText,
  isClaimLive,
  openInterrupts,
  recordFormat,
  statusOf,
  type Claim,
  type SessionChange,
} from '@shallot/core/store';

import type { Database } from '../database/database.ts';

/** What the function of the database says that became of a commit. */
interface Answer {
  readonly outcome: 'ok' | 'revision' | 'format' | 'claim' | 'replace';
  readonly number: number;
  readonly held: string;
  readonly held_ms: number;
}

/** Applies a change in one round trip. When its answer is lost, it is asked for again under the same commit id. */
export async function commitSession(
  database: Database,
  sessionId: string,
  revision: number,
  change: SessionChange,
): Promise<number> {
  const commitId = randomUUID();
  let dead: string | null = null;
  for (;;) {
    const values = [...valuesOf(sessionId, commitId, revision, change), database.wakesWorkers, dead];
    const [answer] = await database.query<Answer & Record<string, unknown>>(
      statementOf(database, values.length),
      values,
    );
    if (answer === undefined)
      throw new ShallotError('STORE_FAILED', {
        message: `PostgreSQL at ${database.where} returned nothing for a commit.`,
      });
    if (answer.outcome === 'ok') return answer.number;
    if (answer.outcome === 'format') checkFormat(sessionId, answer.number);
    if (answer.outcome === 'revision') checkRevision(sessionId, revision, answer.number);
    if (answer.outcome === 'replace') checkReplace(sessionId, change, answer.number);
    if (change.claim === undefined || change.claim === null || answer.outcome !== 'claim')
      throw impossible(answer);
    const held = claimOf(answer.held, answer.held_ms);
    checkClaim(sessionId, change.claim, held);
    // Of processes of this machine only this machine knows that they are gone.
    dead = encodeText(held.owner);
  }
}

function impossible({ outcome }: Answer): Error {
  return new Error(`The database refused a commit (${outcome}) that fits its own data.`);
}

/** A claim as it was committed; when it expires is said by the clock of the database, in milliseconds from now. */
export function claimOf(text: string, leftMs: number): Claim {
  // The store wrote it.
  const claim = JSON.parse(text) as Claim;
  return { ...claim, expiresAt: Math.round(Date.now() + leftMs) };
}

/** Whether somebody may be at work on a session. */
export function isHeld(text: string | null, leftMs: number | null): boolean {
  return text !== null && leftMs !== null && isClaimLive(claimOf(text, leftMs));
}

/** What finds a row whose name is longer than an index takes. */
export function digestOf(...texts: readonly string[]): Buffer {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text}\n`);
  return hash.digest();
}

function statementOf({ schema }: Database, count: number): string {
  const places = Array.from({ length: count }, (_, index) => `$${index + 1}`);
  return `SELECT * FROM ${schema}.commit_session(${places.join(', ')})`;
}

function valuesOf(sessionId: string, commitId: string, revision: number, change: SessionChange): unknown[] {
  const { append = [], replace = [], run, claim } = change;
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
    run === undefined ? null : statusOf(run),
    run === undefined ? null : openInterrupts(run).length,
    run === undefined ? null : leftUntil(dueAt(run)),
    ...claimValues(claim),
  ];
}

function toText(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** In milliseconds from now: clocks of machines differ, and the database has only one. */
function leftUntil(time: number | undefined): number | null {
  if (time === undefined) return null;
  return Math.max(0, time - Date.now());
}

/** How a claim is passed on: what becomes of it, its text, owner and host, and what is left of it in milliseconds. */
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
