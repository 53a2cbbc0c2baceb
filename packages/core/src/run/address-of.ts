import type { Address, CallAddress } from '../base/address.ts';
import type { RecordWriter } from './record-writer.ts';
import type { RunTerms } from './run-terms.ts';

/** Returns the address of a run in its step. */
export function addressOf(terms: RunTerms, record: RecordWriter): Address {
  const { id: runId, parent, parts } = terms;
  const address = {
    agent: parts.name,
    sessionId: record.session.id,
    runId,
    step: record.progress.step,
  };
  return Object.freeze(parent === undefined ? address : { ...address, parent: parent.call });
}

/** Returns the address of a call of a run. `step` is the step of the call, passed for a child in the background. */
export function callAddressOf(
  { id: runId, parent, parts }: RunTerms,
  { progress, session }: RecordWriter,
  callId: string,
  step = progress.step,
): CallAddress {
  const address = { agent: parts.name, sessionId: session.id, runId, step, callId };
  return Object.freeze(parent === undefined ? address : { ...address, parent: parent.call });
}
