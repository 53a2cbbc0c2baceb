import type { IncomingMessage, ServerResponse } from 'node:http';

import { isShallotError, type Answers } from '@shallot/core';
import type { SessionStatus, Store } from '@shallot/core/store';
import {
  answerInterrupts,
  pendingInterrupts,
  stopRun,
  submitRun,
  type SubmitOptions,
} from '@shallot/core/work';

import { sendEvents } from './send-events.ts';

const longestBody = 1_000_000;

/**
 * Handles a request. It does not authenticate callers: put your authentication in front of it, and check that the
 * session belongs to the caller.
 */
export async function handleRequest(
  store: Store,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    await route(store, request, response);
  } catch (error) {
    const [status, code] = statusOf(error);
    if (status === 500) console.error(error);
    const message = status === 500 ? 'The server failed.' : (error as Error).message;
    if (!response.headersSent) sendJson(response, status, { code, message });
    else response.destroy();
  }
}

async function route(store: Store, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const [, top, id = '', action = ''] = pathname.split('/');
  const sessionId = decodeURIComponent(id);
  if (top !== 'sessions') throw new RequestError(404, `Nothing is at ${pathname}.`);

  switch (`${request.method} ${id === '' ? '/' : '/ID/'}${action}`) {
    case 'GET /':
      return sendJson(response, 200, await listSessions(store, searchParams));
    case 'POST /ID/': {
      const { input, metadata } = (await bodyOf(request)) as Submission;
      const runId = await submitRun(store, sessionId, input, {
        agent: 'shop',
        stream: true,
        ...(metadata === undefined ? {} : { metadata }),
      });
      return sendJson(response, 202, { runId });
    }
    case 'GET /ID/events':
      return sendEvents(store, sessionId, request, response);
    case 'GET /ID/questions':
      return sendJson(response, 200, await pendingInterrupts(store, sessionId));
    case 'POST /ID/answers':
      // `answerInterrupts` validates each answer with the schema of its question.
      await answerInterrupts(store, sessionId, (await bodyOf(request)) as Answers);
      return sendJson(response, 202, {});
    case 'POST /ID/stop':
      return sendJson(response, 202, { stopped: await stopRun(store, sessionId) });
    default:
      throw new RequestError(404, `There is no ${request.method} ${pathname}.`);
  }
}

interface Submission extends Pick<SubmitOptions, 'metadata'> {
  readonly input: string;
}

/** Lists summaries of sessions, the latest first. `status` and `prefix` filter them. */
async function listSessions(store: Store, query: URLSearchParams): Promise<unknown[]> {
  const [status, prefix] = [query.get('status'), query.get('prefix')];
  const most = Number(query.get('limit') ?? 50);
  const found: unknown[] = [];
  const filter = {
    ...(status === null ? {} : { status: status as SessionStatus }),
    ...(prefix === null ? {} : { prefix }),
  };
  for await (const summary of store.list(filter)) {
    if (found.push(summary) >= most) break;
  }
  return found;
}

async function bodyOf(request: IncomingMessage): Promise<object> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk as string;
    if (text.length > longestBody) throw new RequestError(413, 'The body is too long.');
  }
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null) return body;
  } catch {
    // Falls through to the error below.
  }
  throw new RequestError(400, 'The body is not a JSON object.');
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

class RequestError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const statuses: Readonly<Record<string, number>> = {
  MESSAGE_INVALID: 400,
  OPTION_INVALID: 400,
  INTERRUPT_ANSWER: 400,
  SESSION_NOT_FOUND: 404,
  INTERRUPT_UNKNOWN: 404,
  SESSION_INTERRUPTED: 409,
  SESSION_UNFINISHED: 409,
  STORE_CONFLICT: 409,
  STORE_FAILED: 503,
};

function statusOf(error: unknown): [status: number, code: string] {
  if (error instanceof RequestError) return [error.status, 'REQUEST_INVALID'];
  if (error instanceof URIError) return [400, 'REQUEST_INVALID'];
  if (isShallotError(error)) return [statuses[error.code] ?? 500, error.code];
  return [500, 'INTERNAL'];
}
