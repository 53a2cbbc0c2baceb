import { ShallotError } from '../base/errors.ts';
import type { LiveTap } from './live-tap.ts';

/** The error for a tap that returned what its hook does not take. */
export function badResult(tap: LiveTap, received: string, wanted: string): ShallotError {
  return badValue(tap, `returned ${received}; it must return ${wanted}.`);
}

/** The error for a layer or a gate that passed on what it cannot pass on. */
export function badNext(tap: LiveTap, received: string, wanted: string): ShallotError {
  return badValue(tap, `called next with ${received}; it must pass ${wanted}.`);
}

function badValue({ info: { plugin, hook, name } }: LiveTap, what: string): ShallotError {
  const label = name === plugin || name === hook ? '' : ` ("${name}")`;
  const message = `${hook} of ${plugin}${label} ${what}`;
  return new ShallotError('HOOK_RESULT', { message, plugin, hook });
}
