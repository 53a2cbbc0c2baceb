import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A local page to which an OAuth issuer redirects the browser after a login. */
export interface CallbackPage {
  readonly url: string;
  /** Returns the query parameters of the first visit with the page's state. Rejects with the reason of an abort. */
  visited(signal: AbortSignal): Promise<URLSearchParams>;
  close(): Promise<void>;
}

/**
 * Serves the page on the loopback interface, for visits with this state; port 0 means any free port. Rejects if the port
 * cannot be used.
 */
export async function openCallbackPage(port: number, state: string): Promise<CallbackPage> {
  const visits = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const isIt = pathname === '/callback' && searchParams.get('state') === state;
    response.writeHead(isIt ? 200 : 404, {
      'content-type': 'text/plain; charset=utf-8',
      connection: 'close',
    });
    const failed = searchParams.has('error');
    response.end(
      isIt ? (failed ? 'The login failed.' : 'You are logged in, and can close this page.') : 'Not found.',
    );
    if (isIt) visits.resolve(searchParams);
  });
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, '127.0.0.1', resolve);
  await listening;
  // The address of a server that listens on a port has this type.
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${actual}/callback`,
    async visited(signal) {
      const aborted = Promise.withResolvers<never>();
      const abort = (): void => aborted.reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      try {
        return await Promise.race([visits.promise, aborted.promise]);
      } finally {
        signal.removeEventListener('abort', abort);
      }
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
