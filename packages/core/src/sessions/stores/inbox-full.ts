import { ShallotError } from '../../base/errors.ts';
import { maxInboxEntries } from '../../contract/work/inbox.ts';
import { quoteSession } from './commit-checks.ts';

/** Returns the error for a message to a session whose inbox is full. */
export function inboxFull(sessionId: string): ShallotError {
  return new ShallotError('INBOX_FULL', {
    message: `${maxInboxEntries} messages wait for the run of session ${quoteSession(sessionId)}, and no more are taken. Send it when the run has read them, or put several into one message.`,
    transient: true,
  });
}
