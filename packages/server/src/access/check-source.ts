import { ShallotError } from '@shallot/core';

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** The host names and the origins of pages that a server accepts. */
export interface SourceTerms {
  /** The accepted values of `Host`. Undefined accepts the names of this machine alone, `any` accepts all. */
  readonly hosts: readonly string[] | 'any' | undefined;
  /** Origins of other sites whose pages may use the server, such as `https://app.example`. */
  readonly origins: readonly string[];
  /** True if a proxy reports the name that the client asked for. */
  readonly trustProxy: boolean;
}

/**
 * Refuses requests to names that are not the server's, because any site can let its name point to this machine.
 * Refuses requests from pages whose origin is not listed.
 * @throws `server/HOST_REFUSED`, `server/ORIGIN_REFUSED`
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

/** Adds the headers that a listed page of another site needs to read the answer. */
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

/** Returns the host that the client asked for. Each proxy appends a name, so this is the first one. */
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
