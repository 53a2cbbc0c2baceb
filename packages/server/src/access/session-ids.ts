import { createHash, randomUUID } from 'node:crypto';

import type { Identity } from './identity.ts';

const ofServer = /^s-[0-9a-f]{32}$/;

/** The form of ids that clients choose: no path of a URL has `.` or `..` as a segment. */
export const chosenId = /^(?!(?:s-[0-9a-f]{32}|\.{1,2})$)[\w.:@-]{1,100}$/;

/** Returns a new id of the server. With a seed it is the same for the same owner and seed. */
export function newSessionId({ owner = '' }: Identity, seed?: string): string {
  const hex = seed === undefined ? randomUUID().replaceAll('-', '') : hash(`${owner}\n${seed}`).slice(0, 32);
  return `s-${hex}`;
}

/**
 * Returns the id under which a session is stored. Ids that clients choose get a prefix of their owner, so that no
 * owner can take or probe the id of another. Operators use the stored ids themselves.
 */
export function storedId({ owner }: Identity, id: string): string {
  return owner === undefined || ofServer.test(id) ? id : prefixOf(owner) + id;
}

/** Returns the id by which an identity knows a stored session. */
export function shownId({ owner }: Identity, id: string): string {
  const prefix = owner === undefined ? '' : prefixOf(owner);
  return id.startsWith(prefix) ? id.slice(prefix.length) : id;
}

function prefixOf(owner: string): string {
  return `o-${hash(owner).slice(0, 16)}-`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
