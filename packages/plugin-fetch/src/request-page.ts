import {
  Agent as HttpAgent,
  request as requestHttp,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP } from 'node:net';

import { fitsPattern } from '@shallot/core/plugin';

import type { AddressRules } from './address-rules.ts';
import { addressRefused, checkedLookup, type Resolve } from './checked-lookup.ts';
import { proxyHosts } from './proxy-hosts.ts';
import { readBody, type Body } from './read-body.ts';
import { Refusal } from './refusal.ts';

export interface RequestSettings {
  readonly rules: AddressRules;
  readonly resolve: Resolve;
  readonly hosts?: readonly string[] | undefined;
  readonly maxRedirects: number;
  readonly maxBytes: number;
  /** The environment that names the proxy to connect through; none without one. */
  readonly proxyEnv?: NodeJS.ProcessEnv | undefined;
  readonly signal: AbortSignal;
}

export interface Page extends Body {
  /** After all redirects. */
  readonly url: URL;
  readonly status: number;
  readonly contentType: string;
}

const headers = {
  accept: 'text/markdown, text/html;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.1',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': 'shallot-fetch (+https://github.com/shallot-dev/shallot)',
};

/** Fetches a page, through its redirects: each place that one leads to is checked like the first. @throws `Refusal` */
export async function requestPage(start: string, settings: RequestSettings): Promise<Page> {
  let url = checkUrl(start, undefined, settings);
  for (let redirects = 0; ; redirects += 1) {
    const response = await open(url, settings);
    const { statusCode: status = 0 } = response;
    const { location, 'content-type': contentType = '' } = response.headers;
    if (status < 300 || status > 399 || location === undefined) {
      return { url, status, contentType, ...(await readBody(response, settings.maxBytes)) };
    }
    response.destroy();
    if (redirects >= settings.maxRedirects)
      throw new Refusal(
        `${start} was redirected more than ${settings.maxRedirects} times, at last to ${location.slice(0, 200)}.`,
      );
    url = checkUrl(location, url, settings);
  }
}

/** @throws `Refusal` for what must not be fetched */
function checkUrl(text: string, base: URL | undefined, { rules, hosts, proxyEnv }: RequestSettings): URL {
  const shown = JSON.stringify(text.slice(0, 200));
  const from = base === undefined ? '' : `, to which ${base.host} redirects,`;
  const url = URL.parse(text, base?.href);
  if (url === null) throw new Refusal(`${shown}${from} is not a URL. Write one that begins with https://.`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Refusal(`${shown}${from} is not a URL of http or https: nothing else is fetched.`);
  if (url.username !== '' || url.password !== '')
    throw new Refusal(`${url.host}${from} is not fetched: the URL has a user name or password in it.`);
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  if (hosts?.some((pattern) => fitsPattern(pattern.toLowerCase(), hostname)) === false)
    throw new Refusal(
      `The host ${hostname}${from} is not one of those that may be fetched from: ${hosts.join(', ')}.`,
    );
  if (proxyEnv !== undefined && proxyHosts(proxyEnv).has(url.hostname))
    throw addressRefused(hostname, undefined);
  if (isIP(hostname) !== 0 && !rules.allows(hostname)) throw addressRefused(hostname, undefined);
  return url;
}

/** Opens a connection of its own, which nobody has opened before without the checks, and waits for the headers. */
function open(url: URL, { rules, resolve, proxyEnv, signal }: RequestSettings): Promise<IncomingMessage> {
  const isHttps = url.protocol === 'https:';
  const agentOptions = { keepAlive: false, ...(proxyEnv === undefined ? {} : { proxyEnv }) };
  const options: RequestOptions = {
    headers,
    signal,
    agent: isHttps ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions),
    // What the environment excepts from the proxy is connected to directly, and checked.
    lookup: checkedLookup(rules, resolve, proxyEnv === undefined ? undefined : proxyHosts(proxyEnv)),
  };
  return new Promise((settle, reject) => {
    const request = (isHttps ? requestHttps : requestHttp)(url, options);
    request.once('response', settle).once('error', reject).end();
  });
}
