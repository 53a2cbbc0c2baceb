import { isClaimLive, type Claim } from '../../base/claim.ts';
import { ShallotError } from '../../base/errors.ts';
import { recordFormat, type SessionChange, type SessionRecord } from '../../contract/store.ts';
import { isRange } from '../content/message-log.ts';

/** Compares revisions, for a store's compare-and-swap. @throws `STORE_CONFLICT` */
export function checkRevision(sessionId: string, expected: number, found: number): void {
  if (expected === found) return;
  throw new ShallotError('STORE_CONFLICT', {
    message:
      `Session ${quoteSession(sessionId)} is at revision ${found}, not ${expected}: another process has changed ` +
      `${found === 0 ? 'or deleted ' : ''}it since it was loaded. Load it again.`,
  });
}

/** Rejects records of a newer format. @throws `STORE_FORMAT` */
export function checkFormat(sessionId: string, format: number): void {
  if (format <= recordFormat) return;
  throw new ShallotError('STORE_FORMAT', {
    message:
      `Session ${quoteSession(sessionId)} has record format ${format}; this version of Shallot supports ${recordFormat}. ` +
      'It was left unchanged. Update @shallot/core.',
  });
}

/**
 * Rejects a claim if another owner's claim is live. Only a run that holds the root claims a child, so a live claim of an
 * earlier holder of the same root does not prevent it. @throws `STORE_CONFLICT`
 */
export function checkClaim(sessionId: string, claim: Claim, held: Claim | undefined): void {
  if (held === undefined || held.owner === claim.owner || !isClaimLive(held)) return;
  if (held.root === undefined || held.root !== claim.root) throw claimConflict(sessionId, held);
}

/** Checks that every replaced range exists, before any change is applied. @throws `STORE_FAILED` */
export function checkReplace(
  sessionId: string,
  { replace }: Pick<SessionChange, 'replace'>,
  messages: number,
): void {
  if (replace === undefined) return;
  let length = messages;
  for (const { from, to, messages } of replace) {
    if (!isRange(from, to, length)) {
      throw new ShallotError('STORE_FAILED', {
        message: `A change of session ${quoteSession(sessionId)} replaces messages ${from} to ${to}, but there are ${length}. Nothing was changed.`,
      });
    }
    length += messages.length - (to - from);
  }
}

/** @throws `STORE_CONFLICT` while a run works on the session */
export function refuseClaimed({ id: sessionId, claim }: Pick<SessionRecord, 'id' | 'claim'>): void {
  if (claim === undefined || !isClaimLive(claim)) return;
  throw claimConflict(sessionId, claim);
}

/** Returns the error for a session that another owner has claimed. */
function claimConflict(sessionId: string, { host, pid, expiresAt }: Claim): ShallotError {
  return new ShallotError('STORE_CONFLICT', {
    message:
      `Session ${quoteSession(sessionId)} is being worked on by process ${pid} on ${host}, whose claim lasts until ` +
      `${new Date(expiresAt).toISOString()} unless it is renewed. Wait for it to finish, or stop that process.`,
    transient: true,
    retryAt: expiresAt,
  });
}

/** Quotes a session id for a message, and shortens a long one. */
export function quoteSession(sessionId: string): string {
  return sessionId.length > 80 ? `${JSON.stringify(sessionId.slice(0, 80))}…` : JSON.stringify(sessionId);
}
