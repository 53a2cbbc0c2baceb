import { once } from 'node:events';

import { createAdaptorServer } from '@hono/node-server';
import { ShallotError } from '@shallot/core';

import type { AgentServer } from './create-server.ts';

/** The place where a server listens. */
export interface ListenOptions {
  /** Default: 4111. 0 takes any free one. */
  readonly port?: number;
  /** Default: `127.0.0.1`, for this machine alone. Another one needs `auth` of the server. */
  readonly host?: string;
  /** A request has to arrive within this time, its headers within a third of it. Default: 60,000. */
  readonly requestTimeoutMs?: number;
  /** All headers of a request, in bytes: more are refused with 431. Default: 16,384. */
  readonly headerBytes?: number;
}

/** A server that listens. */
export interface Listening extends AsyncDisposable {
  /** `http://127.0.0.1:4111` */
  readonly url: string;
  /** Lets requests in progress end, and listens no longer. Close the `AgentServer` first: it ends the streams. */
  close(): Promise<void>;
}

/** The time between two looks for idle connections while the server closes, in milliseconds. */
const idleMs = 20;

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;

/** Listens for HTTP requests. @throws `OPTION_INVALID` for a host that others reach, without `auth`; `server/LISTEN_FAILED` if the port is in use, for example */
export async function listen(
  { fetch, isForThisMachine }: Pick<AgentServer, 'fetch' | 'isForThisMachine'>,
  { port = 4111, host = '127.0.0.1', requestTimeoutMs = 60_000, headerBytes = 16_384 }: ListenOptions = {},
): Promise<Listening> {
  if (isForThisMachine && !loopback.test(host)) {
    throw new ShallotError('OPTION_INVALID', {
      message: `The option "host" of listen is ${JSON.stringify(host)}, and without auth everybody who reaches the server is its operator. Give the server auth, or listen on 127.0.0.1.`,
    });
  }
  const server = createAdaptorServer({
    fetch,
    // Other code of the process reads the bodies of its own requests with the globals of Node.
    overrideGlobalObjects: false,
    serverOptions: {
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs / 3,
      // Node looks for late requests twice in a minute by default.
      connectionsCheckingInterval: Math.min(requestTimeoutMs / 3, 5000),
      keepAliveTimeout: 5000,
      maxHeaderSize: headerBytes,
    },
  });
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (cause) {
    throw new ShallotError('server/LISTEN_FAILED', {
      message: `The server cannot listen on ${host}:${port} (${String(cause)}). Choose another port or host.`,
      cause,
    });
  }
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  const close = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    // A connection is idle when its last answer has ended, and would then be kept for the next request.
    const ending = setInterval(() => {
      if ('closeIdleConnections' in server) server.closeIdleConnections();
    }, idleMs);
    await closed;
    clearInterval(ending);
  };
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    close,
    [Symbol.asyncDispose]: close,
  };
}
