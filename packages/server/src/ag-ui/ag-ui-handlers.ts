import { ShallotError, type JsonValue, type Message } from '@shallot/core';
import { openInterrupts, type RunRecord } from '@shallot/core/store';
import { answerInterrupts, sendMessage, unsendMessage } from '@shallot/core/work';

import { requireRight } from '../access/authenticator.ts';
import { nameOf } from '../access/identity.ts';
import { chosenId, storedId } from '../access/session-ids.ts';
import { stopperOf, streamRun } from '../api/answer-run.ts';
import { checkClientTools } from '../api/check-client-tools.ts';
import { runOf, waitMs } from '../api/run-handlers.ts';
import type { FoundSession, ServerState } from '../api/server-state.ts';
import { inputOf, startRun } from '../api/start-run.ts';
import { storedMessages } from '../api/turns.ts';
import { findIfAny } from '../chat/chat-handlers.ts';
import { contentOf, type SentMessage } from '../chat/sent-history.ts';
import { checkInput } from '../http/check-input.ts';
import { member } from '../http/member.ts';
import type { Call, Handlers } from '../http/route.ts';
import type { Routes } from '../http/routes.ts';
import { runTerms } from '../http/shapes.ts';
import { clientToolsMetadata, isForClient } from '../work/client-tools.ts';
import { agUiForm } from './ag-ui-form.ts';
import { refusalOf } from './interrupts.ts';
import { agUiMessages } from './messages.ts';
import { pageTools } from './page-tools.ts';
import { hasMessages, requireHistory, sentByUser } from './sent-messages.ts';

type AgUiCall = Call<Routes['runAgUi']>;

/** The handler of clients of AG-UI. */
export function agUiHandlers(state: ServerState): Handlers<Pick<Routes, 'runAgUi'>> {
  return {
    async runAgUi(call) {
      const { identity, body } = call;
      const session = await findIfAny(state, identity, body.threadId);
      const record = session && (await state.store.load(session.id));
      const stored = record === undefined ? [] : storedMessages(record);
      const sent = sentByUser(body.messages);
      const isStored = ({ id }: SentMessage): boolean => stored.some((each) => each.id === id);
      const last = body.messages.at(-1);
      const input = sent.findLast(({ id }) => id === last?.id);
      const added = input === undefined || isStored(input) ? undefined : input;
      if (body.messages.length > 0) requireHistory(stored, added === undefined ? sent : sent.slice(0, -1));
      if (body.resume !== undefined && body.resume.length > 0) {
        if (session === undefined) throw noSession(body.threadId);
        return answerRun(state, session, call, added);
      }
      if (added !== undefined) return beginRun(state, call, added);
      if (session?.run === undefined) throw nothingToDo();
      requireRight(identity, 'read');
      return stream(state, session, session.run, call);
    },
  };
}

/** Begins a run with a message. */
async function beginRun(state: ServerState, call: AgUiCall, message: SentMessage): Promise<Response> {
  const { identity, body } = call;
  const { threadId } = body;
  const isNew = (await findIfAny(state, identity, threadId)) === undefined;
  if (isNew && !chosenId.test(threadId))
    throw new ShallotError('server/REQUEST_INVALID', {
      message: 'The threadId of a new session is 1 to 100 letters, digits and . _ : @ -',
    });
  const sessionId = storedId(identity, threadId);
  const tools = pageTools(body.tools);
  checkClientTools(state, tools);
  const content = contentOf(message);
  const idempotency = { key: message.id, body: content };
  const { session, run } = await startRun(state, {
    identity,
    sessionId,
    body: termsOf(body),
    input: content,
    messageId: message.id,
    ...(tools.length === 0 ? {} : { inputMetadata: clientToolsMetadata(tools) }),
    idempotency,
  });
  return stream(state, session, run, call);
}

/** Answers the open questions of a run. A message that comes with the answers is sent to the run as well. */
async function answerRun(
  state: ServerState,
  session: FoundSession,
  call: AgUiCall,
  message: SentMessage | undefined,
): Promise<Response> {
  const { identity, body, request } = call;
  requireRight(identity, 'answer');
  const answers = answersIn(session, body.resume ?? []);
  const { owner } = identity;
  const by = nameOf(identity);
  const { usage } = await runOf(state, session);
  if (message !== undefined) {
    const sent = { ...inputOf(contentOf(message)), id: message.id };
    await sendMessage(state.store, session.id, sent, { owner, by });
  }
  try {
    const options = { owner, by, waitMs, signal: request.signal };
    if (Object.keys(answers).length > 0) await answerInterrupts(state.store, session.id, answers, options);
  } catch (error) {
    // If the answers are refused, the message is withdrawn. It was sent before them, so that no step begins without
    // it.
    if (message !== undefined) await unsendMessage(state.store, session.id, message.id, { owner });
    throw error;
  }
  state.wake(session.id);
  return stream(state, session, await runOf(state, session), call, usage);
}

type Answers = Readonly<Record<string, JsonValue>>;

/**
 * Returns the answers. A cancelled question is answered with its refusal. If it cannot be refused, it stays open. @throws
 * `server/REQUEST_INVALID` if an open question has no entry
 */
function answersIn({ run }: FoundSession, entries: NonNullable<AgUiCall['body']['resume']>): Answers {
  const open = openInterrupts(run);
  const given = new Map(entries.map((entry) => [entry.interruptId, entry]));
  const missing = open.filter(({ id }) => !given.has(id)).map(({ id }) => id);
  if (missing.length > 0)
    throw new ShallotError('server/REQUEST_INVALID', {
      message: `\`resume\` has no entry for these open interrupts: ${missing.join(', ')}. Resolve or cancel all of them.`,
    });
  const answers = entries.map(({ interruptId, status, payload = null }) => {
    const asked = open.find(({ id }) => id === interruptId);
    if (status === 'cancelled' && asked !== undefined) return [interruptId, refusalOf(asked)] as const;
    // A page may return the result of its tool as a string.
    const isText = asked !== undefined && isForClient(asked) && typeof payload === 'string';
    return [interruptId, isText ? { content: payload } : payload] as const;
  });
  return Object.fromEntries(
    answers.flatMap(([id, answer]) => (answer === undefined ? [] : [[id, answer] as const])),
  );
}

/** Returns the terms of a run. All other forwarded properties belong to the application. */
function termsOf({ forwardedProps }: AgUiCall['body']): ReturnType<typeof checkTerms> {
  return checkTerms(member(forwardedProps, 'shallot'));
}

function checkTerms(value: unknown) {
  return checkInput('body', runTerms, value);
}

/** Streams a run to a client, with a snapshot of the messages if the client has others. */
async function stream(
  state: ServerState,
  session: FoundSession,
  run: RunRecord,
  { identity, body }: AgUiCall,
  usage?: RunRecord['usage'],
): Promise<Response> {
  const { threadId, runId } = body;
  const record = await state.store.load(session.id);
  const messages: readonly Message[] = record === undefined ? [] : storedMessages(record);
  const shown = agUiMessages(messages);
  const isCurrent = hasMessages(shown, body.messages);
  const sentIds = body.messages.map(({ id }) => id);
  const beginning = { threadId, runId, messages, sentIds, usage };
  const form = agUiForm(run.id, beginning, isCurrent ? undefined : shown);
  const { onDisconnect } = termsOf(body);
  return streamRun(state, session, run, {
    form,
    onGone: stopperOf(state, session, { identity, onDisconnect }),
  });
}

function noSession(id: string): ShallotError {
  return new ShallotError('SESSION_NOT_FOUND', {
    message: `There is no session ${JSON.stringify(id.slice(0, 100))}.`,
  });
}

function nothingToDo(): ShallotError {
  return new ShallotError('server/REQUEST_INVALID', {
    message:
      'The last message is not one of the user, and there is no run to follow. Send a message of the user.',
  });
}
