import { createHash, timingSafeEqual } from 'node:crypto';

import { ShallotError } from '@shallot/core';

import type { Identity, Right } from './identity.ts';

/** Tokens that make an operator, or a function that says whose request it is; undefined for nobody's. */
export type Auth =
  | { readonly tokens: readonly string[] }
  | ((request: Request) => Identity | undefined | Promise<Identity | undefined>);

const operator: Identity = Object.freeze({});

/**
 * Returns the function that finds out who sent a request. Without `auth` everybody is the operator: `checkSource` then lets
 * in only requests to this machine's own names.
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

/** @throws `server/FORBIDDEN` */
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
    // All are compared, each in a time that says nothing about them.
    const fitting = known.filter((each) => timingSafeEqual(each, given));
    return fitting.length > 0 ? operator : undefined;
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
