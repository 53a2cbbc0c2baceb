import { ShallotError } from '../base/errors.ts';
import type { LiveTap } from './live-tap.ts';

/** Returns the error for a tap whose return value its hook does not accept. */
export function badResult(tap: LiveTap, received: string, wanted: string): ShallotError {
  return badValue(tap, `returned ${received}; it must return ${wanted}.`);
}

/** Returns the error for a layer or gate that passed an invalid value to `next`. */
export function badNext(tap: LiveTap, received: string, wanted: string): ShallotError {
  return badValue(tap, `called next with ${received}; it must pass ${wanted}.`);
}

function badValue({ info: { plugin, hook, name } }: LiveTap, what: string): ShallotError {
  const label = name === plugin || name === hook ? '' : ` ("${name}")`;
  const message = `${hook} of ${plugin}${label} ${what}`;
  return new ShallotError('HOOK_RESULT', { message, plugin, hook });
}
