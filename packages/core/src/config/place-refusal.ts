import { isShallotError, ShallotError } from '../base/errors.ts';
import type { MergedConfig } from './merge-configs.ts';

/**
 * Adds the location of the config's key to `PERMISSIONS_UNHEEDED`, which has none, because the options of an agent have
 * no locations. Returns any other error as it is.
 */
export function placeRefusal(refusal: unknown, { plainMentions, unlock }: MergedConfig): unknown {
  const key = plainMentions['permissions'] ?? unlock;
  if (key === undefined || !isShallotError(refusal, 'PERMISSIONS_UNHEEDED')) return refusal;
  const { code, message, cause, errors } = refusal;
  return new ShallotError(code, { message, cause, errors, at: key.locate([], 'key') });
}
