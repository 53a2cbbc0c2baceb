import type { Answers } from '../interrupt.ts';
import type { Message } from '../messages.ts';

/** An entry that was sent to a run, and that no run has taken yet. */
export type InboxEntry = SentMessage | SentAnswers;

/** A message that was sent to a run. */
export interface SentMessage {
  /** The id of the message; unique in the session. */
  readonly id: string;
  readonly message: Message;
  /** True if the message takes the place of calls that have not begun or that wait for answers. */
  readonly instead?: true;
  /** The id of the run whose end the message waits for. Default: none; the next model call gets the message. */
  readonly after?: string;
}

/** Answers to questions of a run that is being executed. */
export interface SentAnswers {
  /** Unique in the session. */
  readonly id: string;
  readonly answers: Answers;
  /** The name of the person or program that answered. */
  readonly by?: string;
  readonly after?: undefined;
}

/** Selects entries of an inbox. */
export interface InboxFilter {
  /** Only the entries that the run with this id may take: all but those that wait for its end. Default: all. */
  readonly run?: string;
  /** Only the entries with these ids. Default: all. */
  readonly ids?: readonly string[];
  /** Holds the returned entries, in the same transaction: `unsend` refuses them from now on. */
  readonly hold?: true;
}

/** The news for a run: an entry was sent to it, or a stop was requested. */
export type InboxNews = 'sent' | 'stop';

/** The maximum number of entries in an inbox. */
export const maxInboxEntries = 1000;

/** Returns the messages among the entries of an inbox. */
export function messagesIn(entries: readonly InboxEntry[]): readonly SentMessage[] {
  return entries.filter((entry) => 'message' in entry);
}
