import { createHash } from 'node:crypto';

import { ShallotError, type JsonObject } from '@shallot/core';
import type { RunRecord } from '@shallot/core/store';

import { nameOf, type Identity } from '../access/identity.ts';

/** The key of the server in the metadata of its runs. */
const key = 'server';

/** Returns the metadata of a run: the data of its identity, and what the server notes about the request. */
export function submissionMetadata(
  identity: Identity,
  idempotency: { readonly key: string; readonly body: unknown } | undefined,
): JsonObject {
  const note = {
    by: nameOf(identity),
    ...(idempotency === undefined ? {} : { key: hash(idempotency.key), body: hash(idempotency.body) }),
  };
  return { ...identity.context, [key]: note };
}

/**
 * Returns true if a run was submitted by an earlier request with this key and body.
 * @throws `server/KEY_REUSED` if that request had another body
 */
export function isRepeated(
  run: RunRecord | undefined,
  idempotency: { readonly key: string; readonly body: unknown } | undefined,
): boolean {
  const note = run?.submitted?.metadata?.[key];
  if (idempotency === undefined || typeof note !== 'object' || note === null || !('key' in note))
    return false;
  if (note['key'] !== hash(idempotency.key)) return false;
  if (note['body'] === hash(idempotency.body)) return true;
  throw new ShallotError('server/KEY_REUSED', {
    message: 'The Idempotency-Key was sent before, with another body. Use a new key for another request.',
  });
}

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}
