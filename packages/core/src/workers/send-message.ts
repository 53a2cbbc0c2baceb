import { isClaimLive } from '../base/claim.ts';
import { showValue } from '../base/describe-value.ts';
import { isShallotError, ShallotError } from '../base/errors.ts';
import { randomId } from '../base/node-crypto.ts';
import { toMessages, wholeMessage, type Message, type MessageInput } from '../contract/messages.ts';
import type { SessionHead, Store } from '../contract/store.ts';
import { messagesIn, type SentMessage } from '../contract/work/inbox.ts';
import { readOptions } from '../options/option-shape.ts';
import { option } from '../options/options-schema.ts';
import { byOption } from '../options/plain-options.ts';
import { askerOf } from '../sessions/content/open-interrupts.ts';
import { quoteSession } from '../sessions/stores/commit-checks.ts';
import { statusOf, takesMessages } from '../sessions/stores/due-at.ts';
import { checkOwner, refuseChild, type ForOwner } from '../sessions/stores/for-owner.ts';
import { loadHead } from '../sessions/stores/load-head.ts';

/** The size of the largest message that can be sent, in bytes of JSON. */
const maxBytes = 8_000_000;

/** Options of `sendMessage`. */
export interface SendOptions extends ForOwner {
  /**
   * `next-step`: the next model call of the run gets the message. `instead`: as `next-step`, and calls of the step that
   * have not begun, or that wait for answers, are not executed. `after-run`: the message is the input of a run of its
   * own, which `agent.work` or the chat begins, or else part of the next run. Default: `next-step`.
   */
  readonly when?: 'next-step' | 'instead' | 'after-run';
  /** The name of the sender, up to 100 characters. It is kept with the time in the message's metadata. */
  readonly by?: string;
}

/**
 * Sends a user message to the unfinished run of a session, in any process. It becomes part of the session before the
 * next model call, after the taps on the input; while the run waits for answers, the message waits, too. Returns the id
 * of the message; with an `id` in the message, a repeated call has no effect. Needs no agent. Messages that the run did
 * not take stay for the next one, and are in `unread` of its result. @throws `SESSION_NOT_FOUND`,
 * `SESSION_NOT_RUNNING`, `SESSION_OF_ANOTHER`, `SESSION_IS_CHILD`, `INBOX_FULL`, `MESSAGE_INVALID`, `OPTION_INVALID`;
 * `STORE_FAILED` if the store cannot keep messages
 */
export async function sendMessage(
  store: Store,
  sessionId: string,
  input: string | MessageInput,
  { owner, ...options }: SendOptions = {},
): Promise<string> {
  readOptions(
    'sendMessage',
    { when: option.oneOf('next-step', 'instead', 'after-run'), by: byOption },
    options,
  );
  if (store.send === undefined) throw noInbox();
  const message = toSent(input, options.by);
  const head = await loadHead(store, sessionId);
  if (head !== undefined) {
    checkOwner(head, { owner });
    refuseChild(head);
  }
  if (head?.run === undefined || !takesMessages(statusOf(head.run))) throw refusal(sessionId, head);
  const entry: SentMessage = {
    id: message.id,
    message,
    ...(options.when === 'instead' ? { instead: true } : {}),
    ...(options.when === 'after-run' ? { after: head.run.id } : {}),
  };
  if (!(await store.send(sessionId, entry))) throw refusal(sessionId, await loadHead(store, sessionId));
  if (options.when === 'instead') await withdrawQuestions(store, sessionId);
  return message.id;
}

/**
 * Withdraws the questions of the calls of a run that no process executes, so that a worker resumes it, and the message
 * takes the place of these calls. A process that executes the run withdraws them itself.
 */
async function withdrawQuestions(store: Store, sessionId: string): Promise<void> {
  const head = await loadHead(store, sessionId);
  if (head?.run?.status !== 'interrupted' || (head.claim !== undefined && isClaimLive(head.claim))) return;
  const interrupts = head.run.interrupts.filter((asked) => askerOf(asked) === undefined);
  if (interrupts.length === head.run.interrupts.length) return;
  try {
    await store.commit(sessionId, head.revision, { run: { ...head.run, interrupts } });
  } catch (error) {
    if (!isShallotError(error, 'STORE_CONFLICT')) throw error;
    // Another process has stored answers or continued the run.
    await withdrawQuestions(store, sessionId);
  }
}

/** Returns the messages that were sent to the run of a session, and that no run has taken, in the order of sending. */
export async function sentMessages(
  store: Store,
  sessionId: string,
  { owner }: ForOwner = {},
): Promise<readonly Message[]> {
  if (owner !== undefined) await checkOwnerOf(store, sessionId, owner);
  const entries = (await store.inbox?.(sessionId)) ?? [];
  return messagesIn(entries).map(({ message }) => message);
}

/**
 * Withdraws a sent message. Returns false if it is not in the inbox, or a run is about to take it. @throws
 * `SESSION_OF_ANOTHER`
 */
export async function unsendMessage(
  store: Store,
  sessionId: string,
  messageId: string,
  { owner }: ForOwner = {},
): Promise<boolean> {
  if (owner !== undefined) await checkOwnerOf(store, sessionId, owner);
  return (await store.unsend?.(sessionId, messageId)) ?? false;
}

async function checkOwnerOf(store: Store, sessionId: string, owner: string): Promise<void> {
  const head = await loadHead(store, sessionId);
  if (head !== undefined) checkOwner(head, { owner });
}

function toSent(input: string | MessageInput, by: string | undefined): Message {
  const [message, second] = toMessages(input, () => randomId('message'));
  if (message === undefined || second !== undefined || message.role !== 'user')
    throw new ShallotError('MESSAGE_INVALID', {
      message: `Only one user message can be sent to a run, not ${showValue(input)}. Send several one after the other.`,
    });
  const bytes = Buffer.byteLength(JSON.stringify(message));
  if (bytes > maxBytes)
    throw new ShallotError('MESSAGE_INVALID', {
      message: `The message takes ${bytes} bytes of JSON, and a run can be sent ${maxBytes} at most. Put the text into a file, and send its path.`,
    });
  const sent = { at: new Date().toISOString(), ...(by === undefined ? {} : { by }) };
  return wholeMessage({ ...message, metadata: Object.freeze({ ...message.metadata, core: { sent } }) });
}

function noInbox(): ShallotError {
  return new ShallotError('STORE_FAILED', {
    message:
      'This store keeps no messages for runs: it has no `send`. Use one that does, such as sqliteStore, or wait for the end of the run and begin another.',
  });
}

function refusal(sessionId: string, head: SessionHead | undefined): ShallotError {
  const session = quoteSession(sessionId);
  if (head?.run === undefined)
    return new ShallotError('SESSION_NOT_FOUND', {
      message: `There is no run in session ${session} to send a message to. Begin one with run or submitRun.`,
    });
  const { run } = head;
  if (run.parked === true)
    return new ShallotError('SESSION_NOT_RUNNING', {
      message: `The run of session ${session} is parked. Resume or resubmit it first, then send the message.`,
    });
  return new ShallotError('SESSION_NOT_RUNNING', {
    message: `The last run of session ${session} has ended (${run.status}). Give the message to a new run, with run or submitRun.`,
  });
}
