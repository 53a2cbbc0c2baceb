import type { ShallotError } from '../base/errors.ts';

const noted = new WeakMap<object, readonly ShallotError[]>();

/**
 * Attaches further errors to one that a layer rethrows, for example those of fallback models. They become the `errors`
 * of the run's error.
 */
export function noteErrorsBeside(error: unknown, errors: readonly ShallotError[]): void {
  if (typeof error === 'object' && error !== null) noted.set(error, errors);
}

/** Returns the errors attached to an error. */
export function errorsBeside(error: unknown): readonly ShallotError[] {
  return typeof error === 'object' && error !== null ? (noted.get(error) ?? []) : [];
}
