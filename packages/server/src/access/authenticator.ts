import { createHash, timingSafeEqual } from 'node:crypto';

import { ShallotError } from '@shallot/core';

import type { Identity, Right } from './identity.ts';

/**
 * Bearer tokens, each of which makes its sender an operator, or a function that returns the identity of a sender. It
 * returns undefined to refuse the request.
 */
export type Auth =
  | { readonly tokens: readonly string[] }
  | ((request: Request) => Identity | undefined | Promise<Identity | undefined>);

const operator: Identity = Object.freeze({});

/**
 * Returns the function that finds out who sent a request. Without `auth` everybody is the operator; `checkSource` then
 * refuses requests to names other than those of this machine. With `auth`, the function rejects with
 * `server/UNAUTHENTICATED` for unknown senders.
 */
export function authenticator(auth: Auth | undefined): (request: Request) => Promise<Identity> {
  if (auth === undefined) return async () => operator;
  const find = typeof auth === 'function' ? auth : bearerOf(auth.tokens);
  return async (request) => {
    const identity = await find(request);
    if (identity !== undefined) return identity;
    throw new ShallotError('server/UNAUTHENTICATED', {
      message:
        'The request has no valid credentials. Send Authorization: Bearer with a token of this server.',
    });
  };
}

/**
 * Refuses a request that an identity has no right to make.
 * @throws `server/FORBIDDEN`
 */
export function requireRight({ may }: Identity, right: Right): void {
  if (may === undefined || may.includes(right)) return;
  throw new ShallotError('server/FORBIDDEN', {
    message: `These credentials do not allow to ${right}. They allow: ${may.join(', ') || 'nothing'}.`,
  });
}

function bearerOf(tokens: readonly string[]): (request: Request) => Identity | undefined {
  const known = tokens.map(digest);
  return (request) => {
    const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
    if (token === undefined) return undefined;
    const given = digest(token);
    // All tokens are compared, each in constant time, so that the time reveals nothing about them.
    const fitting = known.filter((each) => timingSafeEqual(each, given));
    return fitting.length > 0 ? operator : undefined;
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
