import { headersOf, problemOf } from '../http/problem.ts';

/** The types of errors by their HTTP status; all others are `invalid_request_error`. */
const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
  500: 'server_error',
  503: 'server_error',
};

/** An error in the form in which clients of OpenAI read it. */
export interface OpenAiError {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: null;
    /** The code of the error in Shallot. Codes do not change. */
    readonly code: string;
  };
}

/** An error with its status. */
export interface Fault {
  readonly code: string;
  readonly message: string;
  readonly status: number;
}

export function openAiProblem(error: unknown): Response {
  const problem = problemOf(error);
  const { status, code, detail } = problem;
  // Clients would repeat a request with a conflict, and meet the same conflict again.
  const headers = { ...headersOf(problem), ...(status === 409 ? once : {}) };
  return errorResponse({ status, code, message: detail }, headers);
}

/**
 * Answers with the fault of a run that has no answer. Clients must not repeat the request, because this would begin
 * another run.
 */
export function faultResponse(fault: Fault): Response {
  return errorResponse(fault, { 'cache-control': 'no-store', ...once });
}

/** Returns the body of an error. In a stream it is the data of an event. */
export function errorOf({ code, message, status }: Fault): OpenAiError {
  return { error: { message, type: types[status] ?? 'invalid_request_error', param: null, code } };
}

function errorResponse(fault: Fault, headers: Readonly<Record<string, string>>): Response {
  return new Response(JSON.stringify(errorOf(fault)), {
    status: fault.status,
    headers: { ...headers, 'content-type': 'application/json' },
  });
}

const once = { 'x-should-retry': 'false' };
