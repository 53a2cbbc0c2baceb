import { ShallotError } from '@shallot/core';
import type { ProviderModelEntry } from '@shallot/core/model';

import type { At } from './at.ts';

/** A key for packages that require one, when a header authenticates. It is never sent. */
export const keyPlaceholder = 'the-header-signs-in';

/** Returns the `Authorization` header of a model; undefined if it has none. */
export function authorizationIn({ headers, options }: ProviderModelEntry): string | undefined {
  for (const given of [headers, options?.['headers']]) {
    const entries = Object.entries((given ?? {}) as Readonly<Record<string, unknown>>);
    const [, value] = entries.find(([name]) => name.toLowerCase() === 'authorization') ?? [];
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return undefined;
}

/** Returns a `fetch` that sends this `Authorization`, and removes headers that contain the placeholder. */
export function signByHeader(authorization: string, send: typeof fetch): typeof fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    const made = [...headers].filter(([, value]) => value.includes(keyPlaceholder));
    for (const [name] of made) headers.delete(name);
    headers.set('authorization', authorization);
    return send(input, { ...init, headers });
  };
}

/** Rejects URLs with a user name or password, which `fetch` does not send. @throws `CONFIG_INVALID` without the URL */
export function refuseUserInURL({ baseURL, options }: ProviderModelEntry, at: At): void {
  const urls = { baseURL, ...Object.fromEntries(Object.entries(options ?? {})) };
  for (const [name, value] of Object.entries(urls)) {
    if (typeof value !== 'string' || !/^[a-z][a-z\d+.-]*:\/\/[^/?#]*@/i.test(value)) continue;
    const message = `The ${name} of the model contains a user name or a password, which are not sent from there. Remove them, and write headers: { Authorization: { $env: NAME } }, for example with "Basic …".`;
    throw new ShallotError('CONFIG_INVALID', { message, ...at(baseURL === value ? 'baseURL' : 'options') });
  }
}
