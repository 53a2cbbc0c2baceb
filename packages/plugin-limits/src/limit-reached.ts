import { ShallotError } from '@shallot/core';

import type { Bound } from './bounds.ts';

const bounds = new WeakMap<object, Bound>();

/** The error of a call that is beyond a bound: not transient, so that nobody tries it again. */
export function limitReached(message: string, bound: Bound): ShallotError {
  const error = new ShallotError('LIMIT_REACHED', {
    message: `${message} Raise it in the options of the plugin limits, or begin another ${bound.scope}.`,
  });
  bounds.set(error, bound);
  return error;
}

/** The bound that an error of this plugin's is about. */
export function boundOf(error: unknown): Bound | undefined {
  return typeof error === 'object' && error !== null ? bounds.get(error) : undefined;
}
