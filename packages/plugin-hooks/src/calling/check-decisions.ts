import type { JsonValue } from '@shallot/core';
import { isJsonObject } from '@shallot/core/plugin';

import type { Hook } from '../hook.ts';
import { clip, failed, type Outcome } from './outcome.ts';

/**
 * Returns the outcome; a failure if the hook seems to restrict the event with a decision that the format does not have.
 * A hook that also restricts it with a known decision has not failed.
 */
export function checkDecisions(event: Hook['event'], outcome: Outcome): Outcome {
  if (outcome.is !== 'said') return outcome;
  const { output } = outcome;
  const specific = output['hookSpecificOutput'] ?? {};
  const isCall = event === 'PreToolUse';
  const ofCall = isCall && isJsonObject(specific) ? specific : {};
  const { restricting, other } = isCall ? ofCalls : ofOthers;
  const decisions = [output['decision'], ofCall['permissionDecision']];
  if (output['continue'] === false || decisions.some((each) => restricting.has(each))) return outcome;

  const goesOn = output['continue'] ?? true;
  const unknown = decisions.find((each) => each !== undefined && each !== null && !other.has(each));
  const input = ofCall['updatedInput'] ?? {};
  if (unknown !== undefined) return failed(`it decided ${shown(unknown)}, which the format does not know`);
  if (typeof goesOn !== 'boolean')
    return failed(`its member "continue" is ${shown(goesOn)}, neither true nor false`);
  if (!isJsonObject(specific))
    return failed(`its member "hookSpecificOutput" is ${shown(specific)}, not an object`);
  return isJsonObject(input)
    ? outcome
    : failed(`its member "updatedInput" is ${shown(input)}, not an object`);
}

/** The decisions of the format. `approve` and `block` are those of its first version. */
interface Decisions {
  readonly restricting: ReadonlySet<unknown>;
  readonly other: ReadonlySet<unknown>;
}

const ofOthers: Decisions = { restricting: new Set(['block']), other: new Set(['approve']) };
/** `defer` leaves a call to others, as if the hook made no decision. */
const ofCalls: Decisions = {
  restricting: new Set(['block', 'deny', 'ask']),
  other: new Set(['approve', 'allow', 'defer']),
};

function shown(value: JsonValue): string {
  return clip(JSON.stringify(value), 200);
}
