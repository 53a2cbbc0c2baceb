import type { RunRecord, SessionRecord } from '../contract/store.ts';
import { MessageLog } from './messages/message-log.ts';

/** What is known of a session: all that its next run needs. */
export interface KnownSession extends Pick<SessionRecord, 'id' | 'revision' | 'state' | 'journal'> {
  /** It is forked by who goes on from it. */
  readonly log: MessageLog;
  readonly run?: RunRecord | undefined;
  /** What so many messages from the first one on take in memory. */
  readonly weight?: { readonly messages: number; readonly bytes: number } | undefined;
}

/** A session as it was read. */
export function knownSession({ id, revision, messages, state, journal, run }: SessionRecord): KnownSession {
  return { id, revision, log: MessageLog.of(messages), state, journal, run };
}
