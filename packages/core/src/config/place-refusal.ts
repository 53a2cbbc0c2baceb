import { isShallotError, ShallotError } from '../base/errors.ts';
import type { MergedConfig } from './merge-configs.ts';

/**
 * Returns what an agent was refused for, with the place of the key in its config: an agent that is made of options knows
 * no file.
 */
export function placeRefusal(refusal: unknown, { plainMentions, unlock }: MergedConfig): unknown {
  const key = plainMentions['permissions'] ?? unlock;
  if (key === undefined || !isShallotError(refusal, 'PERMISSIONS_UNHEEDED')) return refusal;
  const { code, message, cause, errors } = refusal;
  return new ShallotError(code, { message, cause, errors, at: key.locate([], 'key') });
}
