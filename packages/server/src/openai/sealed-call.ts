import { createHash } from 'node:crypto';

const form = /^(?:call|mcpr)_([\w-]{22})([\w-]{16})/;

/** The session of a call or question, and its id in the form in which clients have it. */
export interface SealedCall {
  readonly sessionId: string;
  readonly id: string;
}

/**
 * Returns the id by which clients know a call of their tools. It contains the session that waits for the result, and
 * identifies the call. It has 43 characters, because some clients accept at most 64.
 */
export function sealCall(sessionId: string, callId: string): string {
  return `call_${shortSession(sessionId)}${sealOf(sessionId, callId)}`;
}

/**
 * Returns the id by which clients know a question for approval. It contains the call as well, because a question is
 * removed once it is answered.
 */
export function sealQuestion(sessionId: string, { id, callId }: { id: string; callId: string }): string {
  return `mcpr_${shortSession(sessionId)}${sealOf(sessionId, id)}${sealOf(sessionId, callId)}`;
}

/** Returns true if the id of a question, in the form in which clients have it, is about a call. */
export function isAboutCall(sealed: string, sessionId: string, callId: string): boolean {
  return sealed.startsWith('mcpr_') && sealed.endsWith(sealOf(sessionId, callId));
}

/** Reads the session from the id of a call or question; undefined for any other id. */
export function readSealed(id: string): SealedCall | undefined {
  const [, session] = form.exec(id) ?? [];
  return session === undefined ? undefined : { sessionId: longSession(session), id };
}

/** Returns the id of the response for a run, or for the part of a run after one of its messages. */
export function responseId(sessionId: string, place: string): string {
  return `resp_${shortSession(sessionId)}${Buffer.from(place).toString('base64url')}`;
}

/** Reads the session and place from the id of a response; undefined for any other id. */
export function readResponseId(
  id: string,
): { readonly sessionId: string; readonly place: string } | undefined {
  const [, session, place] = /^resp_([\w-]{22})([\w-]{1,400})$/.exec(id) ?? [];
  if (session === undefined || place === undefined) return undefined;
  return { sessionId: longSession(session), place: Buffer.from(place, 'base64url').toString() };
}

function shortSession(sessionId: string): string {
  return Buffer.from(sessionId.slice('s-'.length), 'hex').toString('base64url');
}

function longSession(short: string): string {
  return `s-${Buffer.from(short, 'base64url').toString('hex')}`;
}

function sealOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);
}
