import { option } from '@shallot/core/plugin';

import { agUiInputShape } from './ag-ui-shape.ts';
import { openAiRoutes } from './openai-routes.ts';
import type { Route } from './route.ts';
import {
  agentShape,
  anyJson,
  chosen,
  content,
  messageShape,
  runShape,
  runTerms,
  sessionShape,
  summaryShape,
  title,
  uiMessageShape,
  waitingShape,
} from './shapes.ts';

const text = option.text();
const limit = option.integer({ min: 1, max: 100 }).default(50).describe('The most that are returned.');
const next = text.describe('For `after`, if there are more.');
const wait = option
  .integer({ min: 0, max: 600 })
  .default(0)
  .describe('How many seconds the answer waits for the end of the run.');
const key = { 'Idempotency-Key': 'The same key and body give the run that the first request began.' };
const events = 'The events of the run, if the request accepts text/event-stream.';
const refused = ['SESSION_INTERRUPTED', 'SESSION_UNFINISHED', 'STORE_CONFLICT'] as const;

/** The table of all routes. Requests are checked against it, and the OpenAPI document is made from it. */
export const routes = {
  createSession: {
    method: 'POST',
    path: '/sessions',
    about:
      'Creates a session, and begins a run in it if there is an input. Without a title it gets the beginning of its first message.',
    right: 'run',
    headers: key,
    query: { wait },
    body: { id: chosen, title, input: content, ...runTerms },
    answer: { status: 201, about: 'The session.', shape: sessionShape },
    events,
    problems: ['server/SESSION_EXISTS', 'server/KEY_REUSED'],
  },
  listSessions: {
    method: 'GET',
    path: '/sessions',
    about: 'Lists sessions, the latest changed first.',
    right: 'read',
    query: {
      status: option.oneOf('running', 'completed', 'interrupted', 'aborted', 'failed', 'parked'),
      title,
      limit,
      after: text.describe('`next` of the page before.'),
    },
    answer: {
      status: 200,
      about: 'A page of sessions.',
      shape: { sessions: option.list(option.object(summaryShape)).required(), next },
    },
  },
  getSession: {
    method: 'GET',
    path: '/sessions/{id}',
    about: 'Returns a session with its last run.',
    right: 'read',
    answer: { status: 200, about: 'The session.', shape: sessionShape },
  },
  renameSession: {
    method: 'PATCH',
    path: '/sessions/{id}',
    about: 'Sets the title of a session, also while a run is in progress.',
    right: 'run',
    body: { title: title.required() },
    answer: { status: 200, about: 'The session.', shape: sessionShape },
    problems: ['OPTION_INVALID', 'STORE_CONFLICT'],
  },
  deleteSession: {
    method: 'DELETE',
    path: '/sessions/{id}',
    about: 'Deletes a session, and the files that plugins keep for it.',
    right: 'delete',
    answer: { status: 204, about: 'It is deleted.' },
    problems: ['SESSION_BUSY', 'STORE_CONFLICT', 'SESSION_FILES_LEFT'],
  },
  listMessages: {
    method: 'GET',
    path: '/sessions/{id}/messages',
    about: 'Returns messages of a session, the oldest first.',
    right: 'read',
    query: { limit, after: text.describe('The id of the last message that the client has.') },
    answer: {
      status: 200,
      about: 'A page of messages.',
      shape: { messages: option.list(option.object(messageShape)).required(), next },
    },
  },
  sendMessage: {
    method: 'POST',
    path: '/sessions/{id}/messages',
    about: 'Sends a message to the unfinished run of a session.',
    right: 'run',
    body: {
      message: content.required(),
      id: chosen.describe('Makes a repeated request harmless.'),
      when: option.oneOf('next-step', 'after-run').default('next-step'),
    },
    answer: { status: 202, about: 'The id of the message.', shape: { id: text.required() } },
    problems: ['SESSION_NOT_RUNNING', 'INBOX_FULL', 'MESSAGE_INVALID'],
  },
  startRun: {
    method: 'POST',
    path: '/sessions/{id}/runs',
    about: 'Begins a run in a session. It goes on without the client, and after a restart of the server.',
    right: 'run',
    headers: key,
    query: { wait },
    body: { input: content.required(), ...runTerms },
    answer: { status: 202, about: 'The run.', shape: runShape },
    events,
    problems: [...refused, 'server/KEY_REUSED'],
  },
  followRun: {
    method: 'GET',
    path: '/sessions/{id}/events',
    about: 'Streams the last run of a session until it ends or asks; 204 if there is nothing new.',
    right: 'read',
    headers: { 'Last-Event-ID': 'The id of the last event that the client has.' },
    query: {
      after: text.describe('The same, for clients that cannot set headers.'),
      run: text.describe(
        'The id of the run. If another one has begun in the session, `run-end` without an outcome comes at once.',
      ),
    },
    answer: { status: 200, about: 'The events.' },
    events: 'The events of the run.',
  },
  stopRun: {
    method: 'POST',
    path: '/sessions/{id}/stop',
    about: 'Stops the unfinished run of a session after its step.',
    right: 'run',
    answer: {
      status: 202,
      about: 'False if there is no unfinished run.',
      shape: { stopped: option.boolean().required() },
    },
  },
  resumeRun: {
    method: 'POST',
    path: '/sessions/{id}/resume',
    about: 'Submits a run again that was stopped, aborted or parked, or that failed midway.',
    right: 'run',
    query: { wait },
    answer: { status: 202, about: 'The run.', shape: runShape },
    events,
    problems: ['SESSION_NOT_RESUMABLE', 'SESSION_INTERRUPTED', 'STORE_CONFLICT'],
  },
  forkSession: {
    method: 'POST',
    path: '/sessions/{id}/fork',
    about: 'Creates a session with the messages of another one, up to one of them.',
    right: 'run',
    body: {
      at: text.describe('The id of the last message that it gets. Default: the last one.'),
      id: chosen,
    },
    answer: {
      status: 201,
      about: 'The new session.',
      shape: {
        ...sessionShape,
        withoutState: option
          .list(text)
          .required()
          .describe('The plugins whose state begins again, because it is of later messages.'),
      },
    },
    problems: ['OPTION_INVALID', 'server/SESSION_EXISTS'],
  },
  listInterrupts: {
    method: 'GET',
    path: '/interrupts',
    about: 'Lists the open questions of all sessions, each with the schema of its answer.',
    right: 'read',
    query: { limit, after: text.describe('`next` of the page before.') },
    answer: {
      status: 200,
      about: 'A page of questions. `limit` counts sessions.',
      shape: { interrupts: option.list(option.object(waitingShape)).required(), next },
    },
  },
  answerInterrupt: {
    method: 'POST',
    path: '/sessions/{id}/interrupts/{interrupt}',
    about: 'Answers a question. After the last answer the run continues.',
    right: 'answer',
    query: { wait },
    body: { answer: anyJson.required() },
    answer: { status: 202, about: 'The run.', shape: runShape },
    events,
    problems: ['INTERRUPT_UNKNOWN', 'INTERRUPT_ANSWER', 'STORE_CONFLICT'],
  },
  sendChat: {
    method: 'POST',
    path: '/chat',
    about: 'Takes the messages of `useChat`: begins a run with the last one, or answers for approval in it.',
    right: 'run',
    body: {
      id: text.required().describe('The id of the session. The first message creates it.'),
      messages: option.list(option.object(uiMessageShape), { min: 1 }).required(),
      trigger: option.oneOf('submit-message', 'regenerate-message').default('submit-message'),
      messageId: text.describe('Not read: the messages say it.'),
      fork: chosen.describe('A new session for messages that differ from those of the session.'),
      ...runTerms,
    },
    answer: { status: 200, about: 'The run as one message, from its beginning.' },
    events: 'A UI message stream of the AI SDK.',
    problems: [
      'server/HISTORY_DIFFERS',
      'server/SESSION_EXISTS',
      'INTERRUPT_UNKNOWN',
      'INTERRUPT_ANSWER',
      ...refused,
    ],
  },
  getChat: {
    method: 'GET',
    path: '/chat/{id}',
    about: 'Returns the messages of a session for `useChat`.',
    right: 'read',
    answer: {
      status: 200,
      about: 'All messages, each run as one.',
      shape: { messages: option.list(option.object(uiMessageShape)).required() },
    },
  },
  followChat: {
    method: 'GET',
    path: '/chat/{id}/stream',
    about: 'Streams the run in progress from its beginning; 204 if there is none.',
    right: 'read',
    answer: { status: 200, about: 'The run as one message, from its beginning.' },
    events: 'A UI message stream of the AI SDK.',
  },
  ...openAiRoutes,
  runAgUi: {
    method: 'POST',
    path: '/ag-ui',
    about: 'Takes the input of a client of AG-UI: begins a run, answers its questions, or follows it.',
    right: 'run',
    body: agUiInputShape,
    answer: { status: 200, about: 'The run, from where the client is.' },
    events: 'Events of AG-UI 1.0.',
    problems: ['server/HISTORY_DIFFERS', 'INTERRUPT_UNKNOWN', 'INTERRUPT_ANSWER', ...refused],
  },
  getAgent: {
    method: 'GET',
    path: '/agent',
    about: 'Describes the agent: its name, version and tools, and what a request may have.',
    right: 'read',
    answer: {
      status: 200,
      about: 'The agent.',
      shape: agentShape,
    },
    problems: ['server/AGENT_MISSING'],
  },
  getHealth: {
    method: 'GET',
    path: '/health',
    about: 'Answers while the process lives.',
    right: 'none',
    answer: { status: 200, about: 'It lives.', shape: { status: option.oneOf('ok').required() } },
  },
  getReady: {
    method: 'GET',
    path: '/ready',
    about: 'Answers 503 without an agent, while the server ends, and while the store does not answer.',
    right: 'none',
    answer: { status: 200, about: 'It takes requests.', shape: { status: option.oneOf('ok').required() } },
    problems: ['server/AGENT_MISSING', 'server/DRAINING', 'STORE_FAILED'],
  },
  getDescription: {
    method: 'GET',
    path: '/openapi.json',
    about: 'Returns this description.',
    right: 'none',
    answer: { status: 200, about: 'An OpenAPI 3.1 document.' },
  },
} as const satisfies Readonly<Record<string, Route>>;

/** The table of routes, for handlers and clients. */
export type Routes = typeof routes;
