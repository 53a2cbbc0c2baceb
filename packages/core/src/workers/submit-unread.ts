import { codeOf } from '../base/errors.ts';
import { randomId } from '../base/node-crypto.ts';
import { messageOf } from '../base/thrown.ts';
import type { Store } from '../contract/store.ts';
import { messagesIn } from '../contract/work/inbox.ts';
import type { Logger } from '../log/logger.ts';
import { leavesMessages } from '../sessions/stores/due-at.ts';
import { loadHead } from '../sessions/stores/load-head.ts';
import { commitInput } from './submit-run.ts';

/**
 * Submits the messages that the completed run of a session has left in the inbox, as the input of another run with the
 * same settings. Their entries stay in the inbox until that run finds them in its session, so that a crash in between
 * loses nothing. `runId` is the run that this process has executed; without it, the run is one whose worker may have
 * died. Returns true if a run was submitted. Never rejects: messages that cannot be submitted wait for the next run.
 */
export async function submitUnread(
  store: Store,
  sessionId: string,
  log: Logger,
  runId?: string,
): Promise<boolean> {
  try {
    return await submit(store, sessionId, runId);
  } catch (error) {
    const code = codeOf(error);
    // Another process has begun a run in the session, which takes the messages.
    if (begun.has(code)) return false;
    const message = `The messages that the run of session "${sessionId}" left wait for its next run: ${messageOf(error)}`;
    log.warn({ sessionId, code }, message);
    return false;
  }
}

async function submit(store: Store, sessionId: string, runId: string | undefined): Promise<boolean> {
  const { run, revision = 0 } = (await loadHead(store, sessionId)) ?? {};
  if (run?.status !== 'completed' || !(run.id === runId || leavesMessages(run))) return false;
  // Holds the entries, because a message withdrawn after this would still be part of the input.
  const entries = (await store.inbox?.(sessionId, { hold: true })) ?? [];
  const messages = messagesIn(entries).map(({ message }) => message);
  if (messages.length === 0) {
    // The messages were withdrawn. After this commit, the session is no longer due.
    await store.commit(sessionId, revision, { run, taken: entries.map(({ id }) => id) });
    return false;
  }
  const input = { id: randomId('run'), agent: run.agent?.id, messages, kept: [] };
  // The options with which the completed run was submitted apply to the next run, too.
  await commitInput(store, sessionId, input, run.submitted ?? {});
  return true;
}

const begun: ReadonlySet<string> = new Set(['STORE_CONFLICT', 'SESSION_UNFINISHED', 'SESSION_INTERRUPTED']);
