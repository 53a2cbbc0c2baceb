import { ShallotError } from '@shallot/core';
import { option, optionsSchema } from '@shallot/core/plugin';

import { authenticator, type Auth } from './access/authenticator.ts';
import type { SourceTerms } from './access/check-source.ts';
import type { Identity } from './access/identity.ts';
import type { ServerTerms } from './api/server-state.ts';
import { issuePath } from './http/issue-path.ts';
import type { Mount } from './http/mount.ts';
import type { RequestLine } from './observe/observe-requests.ts';

/** Limits of a server. */
export interface ServerLimits {
  /** The largest body, in bytes. Default: 10,000,000. */
  readonly bodyBytes?: number;
  /** The most requests of an identity per minute. Each process counts for itself. Default: 600. */
  readonly requestsPerMinute?: number;
  /**
   * The most runs of an owner that may be in progress. With `auth`, an operator's limit counts all runs. Default: 20.
   */
  readonly openRuns?: number;
}

/** Options of `createServer`. */
export interface ServerOptions {
  /**
   * Bearer tokens that make their sender an operator (two while one is being replaced), or a function that returns
   * the identity of a sender. Default: everybody is the operator, and the server answers only requests to names of
   * this machine.
   */
  readonly auth?: Auth;
  /**
   * The accepted values of `Host`. Default: all with `auth`, otherwise the names of this machine, such as localhost,
   * 127.0.0.1 and [::1].
   */
  readonly hosts?: readonly string[];
  /** Origins of other sites whose pages may use the server. Default: none. */
  readonly origins?: readonly string[];
  /**
   * True behind a proxy that sets `X-Forwarded-Host` on every request. The server then reads this header instead of
   * `Host`. Default: false.
   */
  readonly trustProxy?: boolean;
  /** The place where runs are executed. `workers` leaves them to `agent.work` in other processes. Default: `here`. */
  readonly execute?: 'here' | 'workers';
  /** The most runs that this server executes at once. Default: 8. */
  readonly concurrency?: number;
  /** The time that runs have to end their step when the server closes, in milliseconds. Default: 30,000. */
  readonly stopTimeoutMs?: number;
  /** The time after which a stream without events sends a sign of life, in milliseconds. Default: 15,000. */
  readonly heartbeatMs?: number;
  readonly limits?: ServerLimits;
  /** Other protocols for the same sessions, by their paths: `{ '/mcp': … }`. Default: none. */
  readonly mounts?: Readonly<Record<string, Mount>>;
  /** Receives each answered request, for a log. Default: no function. */
  readonly onRequest?: (line: RequestLine) => void;
  /**
   * Receives errors that only the operator can solve: those behind answers with the status 500, those of the store, and
   * those of the worker. Default: `console.error`.
   */
  readonly onError?: (error: unknown) => void;
}

const isAuth = (value: unknown): value is Auth =>
  typeof value === 'function' || (typeof value === 'object' && value !== null && hasTokens(value));

function hasTokens(value: object): value is { readonly tokens: readonly string[] } {
  return (
    'tokens' in value &&
    Array.isArray(value.tokens) &&
    value.tokens.length > 0 &&
    value.tokens.length <= 2 &&
    value.tokens.every((token) => typeof token === 'string' && /^\S{16,}$/.test(token))
  );
}

const areMounts = (value: unknown): value is Readonly<Record<string, Mount>> =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).every(([path, mount]) => /^(?:\/[\w-]+)+$/.test(path) && typeof mount === 'function');

const positive = option.integer({ min: 1 });

const schema = optionsSchema({
  auth: option
    .code('{ tokens } with one or two tokens of at least 16 characters, or a function', isAuth)
    .secret(),
  hosts: option.list(option.text('a host, with its port if it has one', /^\S+$/), { min: 1 }),
  origins: option
    .list(option.text('an origin such as https://app.example', /^https?:\/\/[^/]+$/))
    .default([]),
  trustProxy: option.boolean().default(false),
  execute: option.oneOf('here', 'workers').default('here'),
  concurrency: positive.default(8),
  stopTimeoutMs: option.integer({ min: 0 }).default(30_000),
  heartbeatMs: positive.default(15_000),
  limits: option
    .object({
      bodyBytes: positive.default(10_000_000),
      requestsPerMinute: positive.default(600),
      openRuns: positive.default(20),
    })
    .default({}),
  mounts: option.code('functions by paths such as /mcp', areMounts).default({}),
  onRequest: option.callback<(line: RequestLine) => void>(),
  onError: option.callback<(error: unknown) => void>().default((error) => console.error(error)),
});

/** The checked options of a server, with defaults. */
export interface ServerSettings {
  readonly identify: (request: Request) => Promise<Identity>;
  readonly source: SourceTerms;
  readonly requestsPerMinute: number;
  readonly mounts: Readonly<Record<string, Mount>>;
  readonly onRequest: ((line: RequestLine) => void) | undefined;
  readonly terms: ServerTerms;
}

/**
 * Checks the options of a server.
 * @throws `OPTION_INVALID` with all faults
 */
export function readServerOptions(options: ServerOptions): ServerSettings {
  const result = schema['~standard'].validate(options);
  if (result instanceof Promise) throw new TypeError('A schema of options answers at once.');
  if (result.issues !== undefined) {
    const faults = result.issues.map(
      ({ message, path }) => `option "${issuePath(path)}" of createServer: ${message}`,
    );
    throw new ShallotError('OPTION_INVALID', { message: faults.join('\n') });
  }
  const { auth, hosts, origins, trustProxy, limits, mounts, onRequest, ...terms } = result.value;
  const { requestsPerMinute, ...rest } = limits;
  return {
    identify: authenticator(auth),
    source: { hosts: hosts ?? (auth === undefined ? undefined : 'any'), origins, trustProxy },
    requestsPerMinute,
    mounts,
    onRequest,
    terms: { ...terms, ...rest, isShared: auth !== undefined },
  };
}
