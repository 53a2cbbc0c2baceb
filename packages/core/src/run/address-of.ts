import type { Address, CallAddress } from '../base/address.ts';
import type { RunParts } from './run-parts.ts';

type Addressed = Pick<RunParts, 'terms' | 'record'>;

/** Returns the address of a run in its step. */
export function addressOf({ terms, record }: Addressed): Address {
  const { id: runId, parent, parts } = terms;
  const address = {
    agent: parts.name,
    sessionId: record.session.id,
    runId,
    step: record.progress.step,
  };
  return Object.freeze(parent === undefined ? address : { ...address, parent: parent.call });
}

/** Returns the address of a call of a run. `step`: that of the call, for a child in the background. */
export function callAddressOf(run: Addressed, callId: string, step?: number): CallAddress {
  const address = addressOf(run);
  return Object.freeze({ ...address, step: step ?? address.step, callId });
}
