import type { Message } from '../contract/messages.ts';
import type { SessionHead, SessionRecord, Store } from '../contract/store.ts';
import { loadHead } from '../sessions/stores/load-head.ts';
import { loadRecord } from '../sessions/stores/load-record.ts';

/** A session as a follower reads it: all but the messages that it has. */
export interface NewInSession {
  readonly head: SessionHead;
  readonly messages: readonly Message[];
  /** True if `last` is gone: these are all messages of the run. */
  readonly isAnew?: boolean;
}

/**
 * Reads the news of a session for a follower of its run, which has the messages up to `last`. If the store has
 * `messagesFrom`, the cost does not grow with the other messages. Undefined if there is no such session, or, with
 * `messagesFrom`, it has had no run.
 */
export async function readNew(
  store: Store,
  sessionId: string,
  runId: string | undefined,
  last: string | undefined,
): Promise<NewInSession | undefined> {
  if (store.messagesFrom !== undefined) {
    const head = await loadHead(store, sessionId);
    if (head?.run === undefined) return undefined;
    const from = last ?? head.run.firstMessage;
    // Nothing of the run is in the session yet.
    if (from === undefined && head.run.position.at === 'input') return { head, messages: [] };
    const found = from === undefined ? undefined : await store.messagesFrom(sessionId, from);
    // The messages of another revision may belong to the next run; a whole record is consistent.
    if (found?.revision === head.revision)
      return { head, messages: last === undefined ? found.messages : found.messages.slice(1) };
  }
  const record = await loadRecord(store, sessionId);
  return record && { head: record, ...newMessages(record, runId ?? record.run?.id ?? '', last) };
}

/** Returns the messages after `last`, or from the beginning of the run. */
function newMessages(
  { messages, run }: SessionRecord,
  runId: string,
  last: string | undefined,
): Omit<NewInSession, 'head'> {
  const seen = last === undefined ? -1 : messages.findLastIndex(({ id }) => id === last);
  if (seen !== -1) return { messages: messages.slice(seen + 1) };
  const isAnew = last !== undefined;
  const { firstMessage } = run ?? {};
  const first = firstMessage === undefined ? -1 : messages.findIndex(({ id }) => id === firstMessage);
  if (first !== -1) return { messages: messages.slice(first), isAnew };
  // The first message was replaced: only messages with an id of the run remain.
  return { messages: messages.filter(({ id }) => id.startsWith(`${runId}.`)), isAnew };
}
