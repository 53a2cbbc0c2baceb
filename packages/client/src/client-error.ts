import type { ErrorCode } from '@shallot/core';

/**
 * A request that failed. The code is the server's, or the client's own: `client/UNREACHABLE` if there was no answer,
 * `client/ANSWER_INVALID` if the answer does not come from a Shallot server, and others.
 */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly code: ErrorCode;
  /** The status of the answer; undefined if there was none. */
  readonly status: number | undefined;
  /** True if the same request may succeed later. */
  readonly transient: boolean;
  /** The time that the server asks to wait before the next request, in milliseconds; undefined if it asks for none. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    {
      status,
      retryAfterMs,
      cause,
    }: {
      readonly status?: number;
      readonly retryAfterMs?: number | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.status = status;
    this.transient = status === undefined ? code === 'client/UNREACHABLE' : transientStatuses.has(status);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Statuses of the server itself, and of proxies in front of a server that restarts. */
const transientStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Returns the error for an answer without success. */
export async function errorOf(response: Response): Promise<ClientError> {
  const { status } = response;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const terms = { status, retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : undefined };
  const isProblem = response.headers.get('content-type')?.includes('application/problem+json') === true;
  const problem: unknown = isProblem ? await response.json().catch(() => undefined) : undefined;
  if (!isProblem) await response.body?.cancel();
  if (!isProblemDetails(problem)) {
    const message = `The answer to ${response.url} has the status ${status}, and is not of a Shallot server.`;
    return new ClientError('client/ANSWER_INVALID', message, terms);
  }
  return new ClientError(problem.code, problem.detail, terms);
}

function isProblemDetails(value: unknown): value is { readonly code: ErrorCode; readonly detail: string } {
  if (typeof value !== 'object' || value === null || !('code' in value) || !('detail' in value)) return false;
  return typeof value.code === 'string' && typeof value.detail === 'string';
}
