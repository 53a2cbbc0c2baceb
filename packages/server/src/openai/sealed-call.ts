import { createHash } from 'node:crypto';

const form = /^call_([\w-]{22})([\w-]{16})$/;

/** The session and seal in the id of a call, as clients have it. */
export interface SealedCall {
  readonly sessionId: string;
  readonly id: string;
}

/**
 * Returns the id by which clients know a call of theirs: it names the session that waits for the result, and fits no other
 * call. It has 43 characters, since some clients take no more than 64.
 */
export function sealCall(sessionId: string, callId: string): string {
  const session = Buffer.from(sessionId.slice('s-'.length), 'hex').toString('base64url');
  const seal = createHash('sha256')
    .update(JSON.stringify([sessionId, callId]))
    .digest('base64url');
  return `call_${session}${seal.slice(0, 16)}`;
}

/** Returns undefined for an id of elsewhere. */
export function readSealed(id: string): SealedCall | undefined {
  const [, session] = form.exec(id) ?? [];
  if (session === undefined) return undefined;
  return { sessionId: `s-${Buffer.from(session, 'base64url').toString('hex')}`, id };
}
