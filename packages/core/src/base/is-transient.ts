import { isShallotError } from './errors.ts';

const transientSystemCodes = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_SOCKET',
]);

/**
 * Returns true if the same call may succeed later. A `ShallotError` decides this by `transient`; another error by
 * `isRetryable`, else by its status (408, 409, 425, 429 and 5xx are transient), else by a network code of Node.js, else by
 * its `cause`.
 */
export function isTransient(error: unknown): boolean {
  try {
    return mayPass(error);
  } catch {
    // A getter threw.
    return false;
  }
}

/** The members of errors of Node.js and of HTTP clients. */
interface Thrown {
  readonly isRetryable?: unknown;
  readonly statusCode?: unknown;
  readonly status?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
}

function mayPass(error: unknown): boolean {
  for (let current = error, depth = 0; depth < 5; depth += 1) {
    if (typeof current !== 'object' || current === null) return false;
    if (isShallotError(current)) return current.transient;
    const { isRetryable, statusCode, status, code, cause }: Thrown = current;
    if (typeof isRetryable === 'boolean') return isRetryable;
    const http = typeof statusCode === 'number' ? statusCode : status;
    if (typeof http === 'number') return [408, 409, 425, 429].includes(http) || http >= 500;
    if (typeof code === 'string' && transientSystemCodes.has(code)) return true;
    current = cause;
  }
  return false;
}
