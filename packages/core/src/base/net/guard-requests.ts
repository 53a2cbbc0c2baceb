import type { IncomingMessage } from 'node:http';

import { AddressRules } from './address-rules.ts';
import { addressRefused, checkedLookup, resolveHost, type Resolve } from './checked-lookup.ts';
import { proxyHosts } from './proxy-hosts.ts';

/** Whom guarded requests may reach. */
export interface GuardOptions {
  /** Addresses and ranges such as `10.0.0.0/8` that may be connected to although they are not on the public internet. */
  readonly allowAddresses?: readonly string[];
  /**
   * The environment that names a proxy: `HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`. Without it connections are direct. A proxy
   * resolves names by itself, so behind one only addresses that are written as such are checked.
   */
  readonly proxyEnv?: NodeJS.ProcessEnv | undefined;
  /** Resolves names. Default: the machine's own resolver. */
  readonly resolve?: Resolve | undefined;
}

/** One request; its URL is one of http or https. */
export interface GuardedRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
}

/** Makes a request, and waits for the headers of its response. A redirect is a response like any other. */
export type RequestGuarded = (url: URL, request: GuardedRequest) => Promise<IncomingMessage>;

/**
 * For requests to places that somebody else names: a model, a page, a remote server. Connects to no private, link-local or
 * other special address; the address that was checked is the one connected to. Rejects with `ADDRESS_REFUSED`, and with
 * what the network says.
 */
export function guardRequests({ allowAddresses = [], proxyEnv, resolve }: GuardOptions): RequestGuarded {
  const rules = new AddressRules(allowAddresses);
  const proxies = proxyHosts(proxyEnv);
  const lookup = checkedLookup(rules, resolve ?? resolveHost, proxies);
  // A connection of its own: a pool could hand out one that was opened without the checks.
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

/** @throws `ADDRESS_REFUSED` for an address that is written as such: it is never looked up */
function refuseAddress({ hostname: host }: URL, rules: AddressRules, proxies: ReadonlySet<string>): void {
  const hostname = host.replace(/^\[|\]$/g, '');
  const isAddress = process.getBuiltinModule('node:net').isIP(hostname) !== 0;
  if (proxies.has(host) || (isAddress && !rules.allows(hostname))) throw addressRefused(hostname);
}
