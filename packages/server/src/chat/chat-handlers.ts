import { isShallotError, ShallotError } from '@shallot/core';
import type { RunRecord } from '@shallot/core/store';
import { answerInterrupts } from '@shallot/core/work';

import { requireRight } from '../access/authenticator.ts';
import { nameOf, type Identity } from '../access/identity.ts';
import { chosenId, storedId } from '../access/session-ids.ts';
import { stopperOf, streamRun } from '../api/answer-run.ts';
import { runOf, waitMs } from '../api/run-handlers.ts';
import type { FoundSession, ServerState } from '../api/server-state.ts';
import { isThere, taken } from '../api/session-handlers.ts';
import { startRun } from '../api/start-run.ts';
import { storedMessages } from '../api/turns.ts';
import { isOpen } from '../events/run-feed.ts';
import { member } from '../http/member.ts';
import type { Call, Handlers } from '../http/route.ts';
import type { Routes } from '../http/routes.ts';
import { isRepeated } from '../work/submission-metadata.ts';
import { chatForm } from './chat-form.ts';
import { decisionOf } from './questions.ts';
import { contentOf, forkPoint, historyDiffers, isHistory, type SentMessage } from './sent-history.ts';
import { uiMessages } from './ui-messages.ts';

type ChatRoutes = Pick<Routes, 'sendChat' | 'getChat' | 'followChat'>;
type ChatCall = Call<Routes['sendChat']>;

/** The handlers of clients of the AI SDK. */
export function chatHandlers(state: ServerState): Handlers<ChatRoutes> {
  return {
    async sendChat(call) {
      const { identity, body } = call;
      const session = await findIfAny(state, identity, body.id);
      const last = body.messages.at(-1);
      if (last?.role === 'assistant') {
        if (session === undefined) throw historyDiffers();
        return answerChat(state, session, call, last);
      }
      const sessionId =
        body.fork === undefined
          ? await requireHistory(state, session, call)
          : await forkChat(state, session, { identity, body, as: body.fork });
      return startChat(state, sessionId, call);
    },

    async getChat({ identity, params }) {
      const { id } = await state.find(identity, params.id);
      const record = await state.store.load(id);
      return { messages: record === undefined ? [] : uiMessages(record) };
    },

    async followChat({ identity, params }) {
      const session = await state.find(identity, params.id);
      if (session.run === undefined || !isOpen(session.run)) return new Response(null, { status: 204 });
      return streamRun(state, session, session.run, { form: chatForm(session.run.id) });
    },
  };
}

/** Begins a run with the last message. */
async function startChat(state: ServerState, sessionId: string, call: ChatCall): Promise<Response> {
  const { identity, body } = call;
  const { id: _, messages, trigger: __, messageId: ___, fork: ____, ...terms } = body;
  const idempotency = keyOf(messages.at(-1));
  const { key: messageId, body: input } = idempotency;
  const asked = { identity, sessionId, body: terms, input, messageId, idempotency };
  const { session, run } = await startRun(state, asked);
  return stream(state, session, call, run);
}

/**
 * Returns the idempotency key of a message. If the answer was lost and the message is sent again, no second run
 * begins.
 */
function keyOf(message: SentMessage | undefined): {
  readonly key: string;
  readonly body: ReturnType<typeof contentOf>;
} {
  if (message === undefined) throw historyDiffers();
  return { key: message.id, body: contentOf(message) };
}

/** Answers the questions for approval that the client has answered in the last message. */
async function answerChat(
  state: ServerState,
  session: FoundSession,
  call: ChatCall,
  last: SentMessage,
): Promise<Response> {
  const { identity, body, request } = call;
  requireRight(identity, 'answer');
  const record = await state.store.load(session.id);
  const isOfRun = record?.run?.id === last.id && isHistory(storedMessages(record), body.messages);
  if (!isOfRun || body.trigger === 'regenerate-message') throw historyDiffers();
  const options = { owner: identity.owner, by: nameOf(identity), waitMs, signal: request.signal };
  await answerInterrupts(state.store, session.id, answersIn(last), options);
  state.wake(session.id);
  return stream(state, session, call, await runOf(state, session));
}

/**
 * Returns the answers for approval in a message.
 * @throws `server/REQUEST_INVALID` if there are none
 */
function answersIn({ parts }: SentMessage): Parameters<typeof answerInterrupts>[2] {
  const answers = parts.flatMap(({ state, approval }) => {
    const [id, approved, reason] = ['id', 'approved', 'reason'].map((key) => member(approval, key));
    if (state !== 'approval-responded' || typeof id !== 'string' || typeof approved !== 'boolean') return [];
    const why = typeof reason === 'string' ? { reason } : {};
    return [[id, decisionOf({ approved, ...why })] as const];
  });
  if (answers.length > 0) return Object.fromEntries(answers);
  throw new ShallotError('server/REQUEST_INVALID', {
    message:
      'The last message is neither of the user, nor has it an answer for approval. Send a message of the user.',
  });
}

/**
 * Returns the id of the session that has the messages before the last one, or that a first message begins.
 *
 * @throws `server/HISTORY_DIFFERS`; `server/REQUEST_INVALID` for an id that a new session cannot have
 */
async function requireHistory(
  state: ServerState,
  session: FoundSession | undefined,
  { identity, body }: ChatCall,
): Promise<string> {
  const { messages, trigger } = body;
  const before = messages.slice(0, -1);
  if (trigger === 'regenerate-message') throw historyDiffers();
  if (session === undefined) {
    if (before.length > 0) throw historyDiffers();
    if (chosenId.test(body.id)) return storedId(identity, body.id);
    throw new ShallotError('server/REQUEST_INVALID', {
      message: 'The id of a new session is 1 to 100 letters, digits and . _ : @ -',
    });
  }
  const record = await state.store.load(session.id);
  const stored = record === undefined ? [] : storedMessages(record);
  const isNew = isHistory(stored, before);
  if (!isNew && !(isHistory(stored, messages) && isRepeated(record?.run, keyOf(messages.at(-1)))))
    throw historyDiffers();
  return session.id;
}

/**
 * Creates a session with the messages that the client and another session have in common, if there are any. Returns its id.
 */
async function forkChat(
  state: ServerState,
  session: FoundSession | undefined,
  { identity, body, as }: Pick<ChatCall, 'identity' | 'body'> & { readonly as: string },
): Promise<string> {
  state.refuseDraining();
  const id = storedId(identity, as);
  if (await isThere(state, id)) throw taken(as);
  const record = session === undefined ? undefined : await state.store.load(session.id);
  const at = forkPoint(record === undefined ? [] : storedMessages(record), body.messages.slice(0, -1));
  if (session !== undefined && at !== undefined)
    await state.fork(session.id, { as: id, at, owner: identity.owner });
  return id;
}

function stream(
  state: ServerState,
  session: FoundSession,
  { identity, body }: ChatCall,
  run: RunRecord,
): Response {
  const onGone = stopperOf(state, session, { identity, onDisconnect: body.onDisconnect });
  return streamRun(state, session, run, { form: chatForm(run.id), onGone });
}

export async function findIfAny(
  state: ServerState,
  identity: Identity,
  id: string,
): Promise<FoundSession | undefined> {
  try {
    return await state.find(identity, id);
  } catch (error) {
    if (isShallotError(error, 'SESSION_NOT_FOUND')) return undefined;
    throw error;
  }
}
