import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { isShallotError } from '@shallot/core';

import { streamEndedCode } from './http-transport.ts';

/**
 * The fate of a failed request. `refused`: the server did not take it, so it was not executed. `lost`: it may have
 * been executed, but no answer arrived. `answered`: the server responded with an error, or another connection would
 * not help.
 */
export type Fate = 'refused' | 'lost' | 'answered';

const isNetworkCode = /^(?:E[A-Z_]+|UND_ERR_\w+)$/;

/** Codes of network errors that occur before a request is sent. */
const unreachable: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Statuses that a new session would not change: logins, sizes and rate limits. */
const final: ReadonlySet<number> = new Set([401, 402, 403, 407, 413, 414, 429, 431]);

/**
 * Returns the fate of a request by its error. A timeout counts as an answer: the caller checks whether the server is
 * alive.
 */
export function fateOf(error: unknown): Fate {
  if (isShallotError(error)) return 'answered';
  if (error instanceof SdkHttpError) return fateByStatus(error.status);
  if (error instanceof ProtocolError) return error.code === streamEndedCode ? 'lost' : 'answered';
  const code = networkCodeOf(error);
  if (code !== undefined) return unreachable.has(code) ? 'refused' : 'lost';
  if (error instanceof SdkError) {
    if (error.code === SdkErrorCode.NotConnected) return 'refused';
    return error.code === SdkErrorCode.ConnectionClosed ? 'lost' : 'answered';
  }
  // `fetch` rejects with such an error when a response breaks off.
  return error instanceof TypeError && /terminated|fetch failed/.test(error.message) ? 'lost' : 'answered';
}

/** Returns true if a known host could not be reached, or a proxy reports that, so that trying again soon may succeed. */
export function isUnreachable(error: unknown): boolean {
  const code = networkCodeOf(error);
  const status = statusIn(error);
  return (
    (code !== undefined && code !== 'ENOTFOUND') || (status !== undefined && status >= 502 && status <= 504)
  );
}

/**
 * Returns the fate by an HTTP status. By the protocol, a server answers with an error status if it does not accept a
 * message.
 */
function fateByStatus(status: number): Fate {
  // A server that has lost its sessions may respond with 500, and a proxy in front of a dead server with 502.
  if (status >= 500) return 'lost';
  return final.has(status) ? 'answered' : 'refused';
}

/** Returns the system's or `fetch`'s code in an error or its causes. */
export function networkCodeOf(error: unknown): string | undefined {
  return firstIn(error, (each) =>
    'code' in each && typeof each.code === 'string' && isNetworkCode.test(each.code) && !isSdk(each)
      ? each.code
      : undefined,
  );
}

/** Returns the HTTP status in an error or its causes. */
export function statusIn(error: unknown): number | undefined {
  return firstIn(error, (each) => (each instanceof SdkHttpError ? each.status : undefined));
}

/** Returns the host that could not be looked up. */
export function unknownHostIn(error: unknown): string | undefined {
  return firstIn(error, (each) =>
    'hostname' in each && typeof each.hostname === 'string' ? each.hostname : undefined,
  );
}

function isSdk(error: Error): boolean {
  return error instanceof SdkError;
}

function firstIn<T>(error: unknown, read: (each: Error) => T | undefined): T | undefined {
  let each = error;
  for (let depth = 0; each instanceof Error && depth < 6; depth += 1) {
    const found = read(each) ?? (each instanceof AggregateError ? inAggregate(each, read) : undefined);
    if (found !== undefined) return found;
    each = each.cause;
  }
  return undefined;
}

/** Reads the first of several errors. A host name with several addresses fails with an error for each. */
function inAggregate<T>({ errors }: AggregateError, read: (each: Error) => T | undefined): T | undefined {
  const first: unknown = errors[0];
  return first instanceof Error ? read(first) : undefined;
}
