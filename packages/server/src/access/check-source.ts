import { ShallotError } from '@shallot/core';

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** The names and pages that a server answers. */
export interface SourceTerms {
  /** The values of `Host` that are answered; undefined for those of this machine alone, `any` for all. */
  readonly hosts: readonly string[] | 'any' | undefined;
  /** Pages of elsewhere that may use the server, such as `https://app.example`. */
  readonly origins: readonly string[];
  /** True if a proxy says by which name the server was asked. */
  readonly trustProxy: boolean;
}

/**
 * Refuses requests to a name that is not the server's, which a page of elsewhere can give to this machine, and requests of
 * pages that are not listed. @throws `server/HOST_REFUSED`, `server/ORIGIN_REFUSED`
 */
export function checkSource(request: Request, { hosts, origins, trustProxy }: SourceTerms): void {
  const host = (trustProxy ? forwardedHost(request) : undefined) ?? hostOf(request);
  if (!isAnswered(host, hosts)) {
    throw new ShallotError('server/HOST_REFUSED', {
      message: `The server is not called ${JSON.stringify(host.slice(0, 100))}. List this name in its hosts, or use one of its own.`,
    });
  }
  const origin = request.headers.get('origin');
  if (origin === null || isOwn(origin, host) || origins.includes(origin)) return;
  throw new ShallotError('server/ORIGIN_REFUSED', {
    message: `Pages of ${JSON.stringify(origin.slice(0, 100))} may not use this server. List the origin in its origins.`,
  });
}

/** Adds what a listed page of elsewhere needs to read the answer. */
export function allowOrigin(request: Request, response: Response, { origins }: SourceTerms): Response {
  const origin = request.headers.get('origin');
  if (origin === null || !origins.includes(origin)) return response;
  response.headers.set('access-control-allow-origin', origin);
  response.headers.append('vary', 'origin');
  if (request.method !== 'OPTIONS') return response;
  response.headers.set('access-control-allow-methods', 'GET, POST, PATCH, DELETE');
  response.headers.set(
    'access-control-allow-headers',
    'authorization, content-type, idempotency-key, last-event-id',
  );
  response.headers.set('access-control-max-age', '600');
  return response;
}

function hostOf(request: Request): string {
  return request.headers.get('host') ?? new URL(request.url).host;
}

/** Each proxy on the way adds a name: the first one is that which the client has used. */
function forwardedHost({ headers }: Request): string | undefined {
  const [host = ''] = headers.get('x-forwarded-host')?.split(',') ?? [];
  return host.trim() || undefined;
}

function isAnswered(host: string, hosts: SourceTerms['hosts']): boolean {
  if (hosts === 'any') return true;
  return hosts === undefined ? loopback.test(host) : hosts.includes(host.toLowerCase());
}

function isOwn(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host;
}
