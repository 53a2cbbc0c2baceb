import { isShallotError } from '../base/errors.ts';
import { randomId } from '../base/node-crypto.ts';
import { messageOf } from '../base/thrown.ts';
import type { Store } from '../contract/store.ts';
import { messagesIn } from '../contract/work/inbox.ts';
import type { Logger } from '../log/logger.ts';
import { leavesMessages } from '../sessions/stores/due-at.ts';
import { loadHead } from '../sessions/stores/load-head.ts';
import { commitInput } from './submit-run.ts';

/**
 * Submits the messages that the completed run of a session has left as the input of a run of their own, with the settings
 * of the run before. Their entries stay in the inbox until that run finds them in its session: a crash in between loses
 * nothing. `runId` is the run that this process has executed; by default, it is one of a worker that may have died. Returns
 * true if a run was submitted. Never rejects: what cannot be submitted waits for the next run.
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
    const code = isShallotError(error) ? error.code : '';
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
  // Held: a message taken back after this would still be part of the input.
  const entries = (await store.inbox?.(sessionId, { hold: true })) ?? [];
  const messages = messagesIn(entries).map(({ message }) => message);
  if (messages.length === 0) {
    // They were taken back. The commit makes the session due no more.
    await store.commit(sessionId, revision, { run, taken: entries.map(({ id }) => id) });
    return false;
  }
  const { settings, metadata, stream } = run.submitted ?? {};
  const options = {
    ...(settings === undefined ? {} : { settings }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(stream === undefined ? {} : { stream }),
  };
  const input = { id: randomId('run'), agent: run.agent?.id, messages, kept: [] };
  await commitInput(store, sessionId, input, options);
  return true;
}

const begun: ReadonlySet<string> = new Set(['STORE_CONFLICT', 'SESSION_UNFINISHED', 'SESSION_INTERRUPTED']);
