import { createHash } from 'node:crypto';

import { ShallotError, type JsonObject } from '@shallot/core';
import type { RunRecord } from '@shallot/core/store';

import { nameOf, type Identity } from '../access/identity.ts';

/** The key of the server in the metadata of its runs. */
const key = 'server';

/** Returns the metadata of a run: the data of its identity, and the notes of the server about the request. */
export function submissionMetadata(identity: Identity, idempotency: Idempotency | undefined): JsonObject {
  const note = {
    by: nameOf(identity),
    ...(idempotency === undefined ? {} : { key: hash(idempotency.key), body: hash(idempotency.body) }),
  };
  return { ...identity.context, [key]: note };
}

/** Returns true if a run was submitted through a server. */
export function isOfServer({ submitted }: RunRecord): boolean {
  const note = submitted?.metadata?.[key];
  return typeof note === 'object' && note !== null && 'by' in note;
}

/**
 * Returns notes about a request with an idempotency key for the metadata of its input; an empty object for others. There
 * they are kept even when another run begins.
 */
export function inputNote(idempotency: Idempotency | undefined): JsonObject {
  if (idempotency === undefined) return {};
  return { [key]: { key: hash(idempotency.key), body: hash(idempotency.body), at: Date.now() } };
}

/** The key of a request, with the body that it was sent with. */
export interface Idempotency {
  readonly key: string;
  readonly body: unknown;
}

/**
 * Returns true if an earlier request with this key and body has submitted this run.
 *
 * @throws `server/KEY_REUSED` if that request had another body
 */
export function isRepeated(run: RunRecord | undefined, idempotency: Idempotency | undefined): boolean {
  return isOfKey(run?.submitted?.metadata, idempotency);
}

/**
 * Returns true for notes about a request with this key and body.
 * @throws `server/KEY_REUSED` if that request had another body
 */
export function isOfKey(metadata: JsonObject | undefined, idempotency: Idempotency | undefined): boolean {
  const note = metadata?.[key];
  if (idempotency === undefined || typeof note !== 'object' || note === null || !('key' in note))
    return false;
  if (note['key'] !== hash(idempotency.key)) return false;
  if (note['body'] === hash(idempotency.body)) return true;
  throw new ShallotError('server/KEY_REUSED', {
    message: 'The Idempotency-Key was sent before, with another body. Use a new key for another request.',
  });
}

/** Returns the time of a request, which is in the notes about it; 0 if they have none. */
export function timeOfNote(metadata: JsonObject | undefined): number {
  const note = metadata?.[key];
  const at = typeof note === 'object' && note !== null && 'at' in note ? note['at'] : undefined;
  return typeof at === 'number' ? at : 0;
}

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}
