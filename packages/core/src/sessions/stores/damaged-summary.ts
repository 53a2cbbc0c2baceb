import { decodeText } from '../../base/encode-text.ts';
import type { SessionSummary } from '../../contract/store.ts';

/** Returns the summary of a damaged session. Only its id is known, and decoded if possible. */
export function damagedSummary(encodedId: string): SessionSummary {
  return {
    id: readable(encodedId),
    revision: 0,
    createdAt: 0,
    updatedAt: 0,
    messages: 0,
    interrupts: 0,
    damaged: true,
  };
}

function readable(encodedId: string): string {
  try {
    return decodeText(encodedId);
  } catch {
    // A damaged id is shown as stored.
    return encodedId;
  }
}
