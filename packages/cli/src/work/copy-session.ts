import { isDeepStrictEqual } from 'node:util';

import { ShallotError } from '@shallot/core';
import { isClaimLive, type SessionRecord, type Store } from '@shallot/core/store';

import { visibleLine } from '../terminal/visible.ts';

/**
 * Copies a session to another store, and compares the copy with the original. Revision, times and claim differ between
 * stores. Returns `there` if the other store has the same session, or if the original was deleted. @throws `STORE_CONFLICT`
 * if a run works on it, or another session has its id there; `STORE_FAILED` if the copy differs
 */
export async function copySession(
  source: Store,
  target: Store,
  sessionId: string,
): Promise<'copied' | 'there'> {
  const original = await source.load(sessionId);
  if (original === undefined) return 'there';
  const { claim, messages, state, journal, run, about } = original;
  const name = `Session "${visibleLine(sessionId)}"`;
  if (claim !== undefined && isClaimLive(claim)) {
    throw conflict(`${name} is being worked on. Stop its workers, and copy again.`);
  }
  const there = await target.load(sessionId);
  if (there !== undefined) {
    if (isSame(original, there)) return 'there';
    throw conflict(`${name} has other content in the store to copy to. Delete it there, or leave it.`);
  }
  await target.commit(sessionId, 0, {
    append: messages,
    state,
    journal,
    ...(run && { run }),
    ...(about && { about }),
  });
  const copy = await target.load(sessionId);
  if (copy !== undefined && isSame(original, copy)) return 'copied';
  throw new ShallotError('STORE_FAILED', {
    message: `${name} was copied, but the copy differs. Do not use it, and report this.`,
  });
}

function isSame(one: SessionRecord, other: SessionRecord): boolean {
  return isDeepStrictEqual(contentOf(one), contentOf(other));
}

function contentOf({ messages, state, journal, run, about }: SessionRecord): unknown {
  // Compared as JSON, because stores keep JSON.
  return JSON.parse(JSON.stringify({ messages, state, journal, run, about }));
}

function conflict(message: string): ShallotError {
  return new ShallotError('STORE_CONFLICT', { message });
}
