import { once } from 'node:events';

import { createAdaptorServer } from '@hono/node-server';
import { ShallotError } from '@shallot/core';

import type { AgentServer } from './create-server.ts';

/** Options of `listen`: the address, and limits of a request. */
export interface ListenOptions {
  /** The port. 0 chooses any free port. Default: 4111. */
  readonly port?: number;
  /**
   * The host. Any host other than this machine's own needs `auth` of the server. Default: `127.0.0.1`, which only
   * this machine can reach.
   */
  readonly host?: string;
  /**
   * The time within which a request has to arrive, in milliseconds; its headers have a third of this. Default:
   * 60,000.
   */
  readonly requestTimeoutMs?: number;
  /**
   * The largest size of all headers of a request, in bytes. Larger ones are refused with the status 431. Default:
   * 16,384.
   */
  readonly headerBytes?: number;
}

/** A server that listens. */
export interface Listening extends AsyncDisposable {
  /** The address of the server, such as `http://127.0.0.1:4111`. */
  readonly url: string;
  /** Stops listening, and lets requests in progress end. Close the `AgentServer` first, because it ends the streams. */
  close(): Promise<void>;
}

/** The time between two checks for idle connections while the server closes, in milliseconds. */
const idleMs = 20;

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;

/**
 * Listens for HTTP requests.
 * @throws `OPTION_INVALID` for a host that other machines reach, without `auth`; `server/LISTEN_FAILED`, for example
 * if the port is in use
 */
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
    // Other code of the process expects Node's own globals.
    overrideGlobalObjects: false,
    serverOptions: {
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs / 3,
      // By default Node checks for late requests only twice in a minute.
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
    // A connection becomes idle when its last answer ends. Without this it would be kept open for another request.
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
