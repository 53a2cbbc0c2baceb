import type { IncomingMessage } from 'node:http';

import { AddressRules } from './address-rules.ts';
import { addressRefused, checkedLookup, resolveHost, type Resolve } from './checked-lookup.ts';
import { proxyHosts } from './proxy-hosts.ts';

/** Rules for guarded requests. */
export interface GuardOptions {
  /** Addresses and ranges, such as `10.0.0.0/8`, that are allowed although they are not on the public internet. */
  readonly allowAddresses?: readonly string[];
  /**
   * The environment that configures a proxy by `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. Without it connections are
   * direct. A proxy resolves host names itself, so only literal addresses are checked then.
   */
  readonly proxyEnv?: NodeJS.ProcessEnv | undefined;
  /** Resolves names. Default: the machine's own resolver. */
  readonly resolve?: Resolve | undefined;
}

/** One HTTP or HTTPS request. */
export interface GuardedRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
}

/** Sends a request, and resolves with the response once its headers have arrived. Redirects are not followed. */
export type RequestGuarded = (url: URL, request: GuardedRequest) => Promise<IncomingMessage>;

/**
 * Returns a function for requests to untrusted URLs. It connects to private, link-local and other special addresses
 * only if they are allowed, and without a proxy to exactly the address that was checked. Rejects with
 * `ADDRESS_REFUSED`, or with a network error.
 */
export function guardRequests({ allowAddresses = [], proxyEnv, resolve }: GuardOptions): RequestGuarded {
  const rules = new AddressRules(allowAddresses);
  const proxies = proxyHosts(proxyEnv);
  const lookup = checkedLookup(rules, resolve ?? resolveHost, proxies);
  // No connection pool: it could return a connection opened without the checks.
  const connection = { keepAlive: false, ...(proxyEnv === undefined ? {} : { proxyEnv }) };
  return async (url, { method = 'GET', headers = {}, body, signal }) => {
    refuseAddress(url, rules, proxies);
    const { Agent, request } =
      url.protocol === 'https:' ? await import('node:https') : await import('node:http');
    const options = { method, headers, signal, lookup, agent: new Agent(connection) };
    return new Promise((settle, reject) => {
      request(url, options).once('response', settle).once('error', reject).end(body);
    });
  };
}

/**
 * @throws `ADDRESS_REFUSED` for the host of a proxy, and for a literal address that is not allowed; such addresses are
 * never looked up
 */
function refuseAddress({ hostname: host }: URL, rules: AddressRules, proxies: ReadonlySet<string>): void {
  const hostname = host.replace(/^\[|\]$/g, '');
  const isAddress = process.getBuiltinModule('node:net').isIP(hostname) !== 0;
  if (proxies.has(host) || (isAddress && !rules.allows(hostname))) throw addressRefused(hostname);
}
