import { isShallotError, type ErrorCode } from '@shallot/core';

/** Problem details of RFC 9457, with the code of the error. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
}

/** The HTTP statuses of errors that a client can react to. All others have the status 500. */
const statuses: Readonly<Partial<Record<ErrorCode, number>>> = {
  'server/REQUEST_INVALID': 400,
  MESSAGE_INVALID: 400,
  OPTION_INVALID: 400,
  VALUE_NOT_JSON: 400,
  'server/UNAUTHENTICATED': 401,
  'server/FORBIDDEN': 403,
  'server/ORIGIN_REFUSED': 403,
  'server/NOT_FOUND': 404,
  INTERRUPT_UNKNOWN: 404,
  SESSION_NOT_FOUND: 404,
  INBOX_FULL: 409,
  SESSION_BUSY: 409,
  SESSION_INTERRUPTED: 409,
  SESSION_IS_CHILD: 409,
  SESSION_NOT_RESUMABLE: 409,
  SESSION_NOT_RUNNING: 409,
  SESSION_UNFINISHED: 409,
  STORE_CONFLICT: 409,
  'server/HISTORY_DIFFERS': 409,
  'server/SESSION_EXISTS': 409,
  'server/BODY_TOO_LARGE': 413,
  'server/CONTENT_TYPE': 415,
  'server/HOST_REFUSED': 421,
  INTERRUPT_ANSWER: 422,
  'server/KEY_REUSED': 422,
  'server/TOO_MANY': 429,
  AGENT_CLOSED: 503,
  STORE_FAILED: 503,
  'server/AGENT_MISSING': 503,
  'server/DRAINING': 503,
};

const titles: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  409: 'Conflict',
  413: 'Content too large',
  415: 'Unsupported media type',
  421: 'Misdirected request',
  422: 'Unprocessable content',
  429: 'Too many requests',
  500: 'Internal server error',
  503: 'Service unavailable',
};

/** Texts for clients, for errors whose own message is meant for the log alone. */
const details: Readonly<Partial<Record<ErrorCode, string>>> = {
  AGENT_CLOSED: 'The agent was closed. Try again soon.',
  STORE_FAILED: 'The store of the sessions does not answer. Try again soon.',
  STORE_CONFLICT:
    'Something else is at work on the session, or has changed it meanwhile. Try again soon, or stop its run.',
  SESSION_NOT_FOUND: 'There is no such session.',
  'server/AGENT_MISSING': 'The agent could not be loaded. The log of the server says why.',
};

/**
 * Returns the problem that a client receives for an error. If the error is not the client's, the text contains no
 * paths or values.
 */
export function problemOf(error: unknown): Problem {
  const code = isShallotError(error) ? shownCode(error.code) : 'INTERNAL';
  // A code with a slash belongs to a plugin, and means a refusal, for example of an input.
  const status = statuses[code] ?? (code.includes('/') ? 422 : 500);
  const isForClients = isShallotError(error) && status !== 500;
  const own = isForClients ? error.message : 'The server failed. Its log says more.';
  return {
    type: `urn:shallot:error:${code}`,
    title: titles[status] ?? 'Error',
    status,
    detail: details[code] ?? own,
    code,
  };
}

/** Returns the code that clients see. It does not reveal that a session of another owner exists. */
function shownCode(code: ErrorCode): ErrorCode {
  return code === 'SESSION_OF_ANOTHER' ? 'SESSION_NOT_FOUND' : code;
}

/** Returns true for an error that only the operator can solve. */
export function isForLog(error: unknown): boolean {
  const { status, code } = problemOf(error);
  return status === 500 || code === 'STORE_FAILED';
}

export function problemResponse(error: unknown): Response {
  const problem = problemOf(error);
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { ...headersOf(problem), 'content-type': 'application/problem+json' },
  });
}

/** Returns the headers of an answer with a problem, without the content type. */
export function headersOf({ status }: Problem): Readonly<Record<string, string>> {
  return {
    'cache-control': 'no-store',
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(status === 429 || status === 503 ? { 'retry-after': '5' } : {}),
  };
}
