import { ShallotError } from '@shallot/core';
import type { Store } from '@shallot/core/store';

import { visibleLine } from '../terminal/visible.ts';

const shown = 5;

/**
 * Returns the id of the session with this id or unique prefix. @throws `SESSION_NOT_FOUND` if there is none, or several
 */
export async function findSession(store: Store, text: string): Promise<string> {
  if ((await store.load(text)) !== undefined) return text;
  const found: string[] = [];
  if (text !== '') {
    for await (const { id: sessionId } of store.list({ prefix: text })) {
      found.push(sessionId);
      if (found.length > shown) break;
    }
  }
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const list = found.slice(0, shown).map(visibleLine).join(', ');
  throw new ShallotError('SESSION_NOT_FOUND', {
    message:
      only === undefined
        ? `There is no session "${visibleLine(text)}". See shallot sessions.`
        : `More than one session begins with "${visibleLine(text)}": ${list}${found.length > shown ? ', …' : ''}. Write more of the id.`,
  });
}

/** A generated id, or the beginning of one. */
const generated = /^session_[\da-f-]*$/;
const generatedLength = 'session_'.length + 36;

/**
 * Returns the id of the session to continue or to start. The beginning of a generated id stands for the session that it
 * belongs to; names that an application chose are taken literally, since one may begin with another. @throws
 * `SESSION_NOT_FOUND` for the beginning of none, or of several
 */
export async function sessionToUse(store: Store, text: string): Promise<string> {
  return generated.test(text) && text.length < generatedLength ? findSession(store, text) : text;
}
