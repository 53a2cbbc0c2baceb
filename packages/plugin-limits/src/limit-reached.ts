import { ShallotError } from '@shallot/core';

import type { Bound } from './bounds.ts';

const bounds = new WeakMap<object, Bound>();

/** Returns the error for a call beyond a bound. It is not transient, so that it is not retried. */
export function limitReached(message: string, bound: Bound): ShallotError {
  const error = new ShallotError('LIMIT_REACHED', {
    message: `${message} Raise it in the options of the plugin limits, or begin another ${bound.scope}.`,
  });
  bounds.set(error, bound);
  return error;
}

/** Returns the bound that an error of this plugin refers to; undefined for other errors. */
export function boundOf(error: unknown): Bound | undefined {
  return typeof error === 'object' && error !== null ? bounds.get(error) : undefined;
}
