import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

import type { FetchLike } from '@modelcontextprotocol/client';
import { isShallotError, type ShallotError } from '@shallot/core';
import { guardRequests } from '@shallot/core/plugin';

import type { HttpSettings } from '../config/server-settings.ts';

/**
 * Returns the `fetch` for requests to a server and for its login. Requests to the server's own origin get the configured
 * headers, and may go to any address. Requests to a configured issuer get no such headers, but may also go to any address.
 * Requests to other URLs that the server names (metadata, issuers, token endpoints) get no such headers, and may go to
 * private addresses only if the options allow them. The client handles redirects, and follows none to another origin.
 * `onRefused` is called for refused addresses, because the client then tries others and reports only their errors.
 */
export function serverFetch(
  { url: own, headers: ownHeaders, oauth, allowAddresses, startTimeoutMs }: HttpSettings,
  onRefused: (error: ShallotError) => void,
): FetchLike {
  const request = guardRequests({ allowAddresses, proxyEnv: proxyEnv() });
  const issuer = URL.parse(oauth?.issuer ?? '')?.origin;
  return async (given, init) => {
    const url = new URL(given);
    const redirect = 'manual';
    if (url.origin === own.origin)
      return fetch(url, { ...init, redirect, headers: withDefaults(init?.headers, ownHeaders) });
    if (url.origin === issuer) return fetch(url, { ...init, redirect });
    const { method, headers, body, signal } = new Request(url, init);
    try {
      const response = await request(url, {
        method,
        // Requests of a login have no other time limit.
        signal: AbortSignal.any([signal, AbortSignal.timeout(startTimeoutMs)]),
        headers: { ...Object.fromEntries(headers), 'accept-encoding': 'identity' },
        ...(body === null ? {} : { body: await new Response(body).bytes() }),
      });
      return asResponse(response, url);
    } catch (error) {
      if (isShallotError(error, 'ADDRESS_REFUSED')) onRefused(error);
      throw error;
    }
  };
}

function withDefaults(given: RequestInit['headers'], defaults: Readonly<Record<string, string>>): Headers {
  const headers = new Headers(given);
  for (const [name, value] of Object.entries(defaults)) if (!headers.has(name)) headers.set(name, value);
  return headers;
}

/** Statuses of responses without a body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

function asResponse(incoming: IncomingMessage, url: URL): Response {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = incoming;
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  const isEmpty = bodiless.has(status);
  if (isEmpty) incoming.resume();
  const body = isEmpty ? null : Readable.toWeb(incoming);
  return Object.defineProperty(new Response(body, { status, statusText, headers }), 'url', {
    value: url.href,
  });
}

/** Returns the environment with proxy settings, if Node is told to use it for `fetch`. */
function proxyEnv(): NodeJS.ProcessEnv | undefined {
  const isOn = process.env['NODE_USE_ENV_PROXY'] === '1' || process.execArgv.includes('--use-env-proxy');
  return isOn ? process.env : undefined;
}
