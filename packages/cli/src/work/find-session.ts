import { ShallotError } from '@shallot/core';
import type { SessionSummary, Store } from '@shallot/core/store';

import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';
import { summaryOf } from './summary-of.ts';

const shown = 5;

/**
 * Returns the id of the session with this id or unique prefix. @throws `SESSION_NOT_FOUND` if there is none, or several
 */
export async function findSession(store: Store, text: string): Promise<string> {
  if ((await store.load(text)) !== undefined) return text;
  const found = await beginningWith(store, text);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  throw notFound(
    only === undefined
      ? `There is no session "${visibleLine(text)}". See shallot sessions.`
      : `More than one session begins with "${visibleLine(text)}": ${listed(found)}. Write more of the id.`,
  );
}

/** A generated id, or the beginning of one. */
const generated = /^session_[\da-f-]*$/;
const generatedLength = 'session_'.length + 36;

/**
 * Returns the id of the session to continue or to start. The beginning of a generated id stands for the session with
 * that id. Ids chosen by an application are taken literally, because one may begin with another; a note lists those that
 * begin with the id of a new session. @throws `SESSION_NOT_FOUND` if a beginning matches no session, or several; a
 * usage failure for an empty id
 */
export async function sessionToUse(store: Store, text: string, screen: Screen): Promise<string> {
  if (text === '')
    throw new CommandFailure(
      exitStatus.usage,
      '--session is empty; write the id of a session, or leave it out.',
    );
  if (isShortened(text)) return findSession(store, text);
  if ((await summaryOf(store, text)) !== undefined) return text;
  const others = await beginningWith(store, text);
  if (others.length > 0)
    screen.note(`Session "${visibleLine(text)}" is new. Others begin with its name: ${listed(others)}.`);
  return text;
}

/**
 * Returns the session to delete, found as in `sessionToUse`. @throws `SESSION_NOT_FOUND` if there is none, or several
 */
export async function sessionToDelete(store: Store, text: string): Promise<SessionSummary> {
  const summary = await summaryOf(store, isShortened(text) ? await findSession(store, text) : text);
  if (summary !== undefined) return summary;
  const others = await beginningWith(store, text);
  const rest = others.length === 0 ? 'See shallot sessions' : `Others begin with it: ${listed(others)}`;
  throw notFound(`There is no session "${visibleLine(text)}". ${rest}.`);
}

function isShortened(text: string): boolean {
  return generated.test(text) && text.length < generatedLength;
}

/** Returns ids that begin with a text, at most one more than are shown. */
async function beginningWith(store: Store, text: string): Promise<readonly string[]> {
  const found: string[] = [];
  if (text === '') return found;
  for await (const { id } of store.list({ prefix: text })) {
    found.push(id);
    if (found.length > shown) break;
  }
  return found;
}

function listed(ids: readonly string[]): string {
  return `${ids.slice(0, shown).map(visibleLine).join(', ')}${ids.length > shown ? ', …' : ''}`;
}

function notFound(message: string): ShallotError {
  return new ShallotError('SESSION_NOT_FOUND', { message });
}
