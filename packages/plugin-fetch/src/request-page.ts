import { isUtf8 } from 'node:buffer';

import { fitsPattern, type RequestGuarded } from '@shallot/core/plugin';

import { readBody, type Body } from './read-body.ts';
import { Refusal } from './refusal.ts';

export interface RequestSettings {
  readonly request: RequestGuarded;
  readonly hosts?: readonly string[] | undefined;
  readonly maxRedirects: number;
  readonly maxBytes: number;
  /** Called with the target of each redirect. @throws `Refusal` for one that must not be fetched */
  readonly follow: (to: URL, from: URL) => Promise<void>;
  readonly signal: AbortSignal;
}

export interface Page extends Body {
  /** The URL after all redirects. */
  readonly url: URL;
  readonly status: number;
  readonly contentType: string;
}

const headers = {
  accept: 'text/markdown, text/html;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.1',
  'accept-encoding': 'gzip, br',
  'user-agent': 'shallot-fetch (+https://github.com/shallot-dev/shallot)',
};

/**
 * Fetches a page, following redirects. The target of each redirect is checked like the first URL.
 * @throws `Refusal`, `ADDRESS_REFUSED`
 */
export async function requestPage(start: string, settings: RequestSettings): Promise<Page> {
  const { request, hosts, signal } = settings;
  let url = checkUrl(start, undefined, hosts);
  for (let redirects = 0; ; redirects += 1) {
    const response = await request(url, { headers, signal });
    const { statusCode: status = 0 } = response;
    const { location: written, 'content-type': contentType = '' } = response.headers;
    const location = written === undefined ? undefined : asUtf8(written);
    if (status < 300 || status > 399 || location === undefined) {
      return { url, status, contentType, ...(await readBody(response, settings.maxBytes)) };
    }
    response.destroy();
    if (redirects >= settings.maxRedirects)
      throw new Refusal(
        `${start} was redirected more than ${settings.maxRedirects} times, at last to ${location.slice(0, 200)}.`,
      );
    const to = checkUrl(location, url, hosts);
    await settings.follow(to, url);
    url = to;
  }
}

/**
 * Decodes a header again as UTF-8 if it is valid UTF-8: servers write URLs in it, but Node reads headers as Latin-1.
 */
function asUtf8(header: string): string {
  const bytes = Buffer.from(header, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : header;
}

/** Parses a URL. @throws `Refusal` if it must not be fetched */
function checkUrl(text: string, base: URL | undefined, hosts: RequestSettings['hosts']): URL {
  const shown = JSON.stringify(text.slice(0, 200));
  const from = base === undefined ? '' : `, to which ${base.host} redirects,`;
  const url = URL.parse(text, base?.href);
  if (url === null) throw new Refusal(`${shown}${from} is not a URL. Write one that begins with https://.`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Refusal(`${shown}${from} is not a URL of http or https: nothing else is fetched.`);
  if (base?.protocol === 'https:' && url.protocol === 'http:')
    throw new Refusal(
      `${base.host} redirects from https to ${shown}, which anybody on the way can read and change. Fetch that URL itself if this does not matter.`,
    );
  if (url.username !== '' || url.password !== '')
    throw new Refusal(`${url.host}${from} is not fetched: the URL has a user name or password in it.`);
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  if (hosts?.some((pattern) => fitsPattern(pattern.toLowerCase(), hostname)) === false)
    throw new Refusal(
      `The host ${hostname}${from} is not one of those that may be fetched from: ${hosts.join(', ')}.`,
    );
  return url;
}
