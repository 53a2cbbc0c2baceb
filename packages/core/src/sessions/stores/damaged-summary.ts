import { decodeText } from '../../base/encode-text.ts';
import type { SessionSummary } from '../../contract/store.ts';

/** Returns the summary of a damaged session: its id, decoded as far as that is possible, is all that is known. */
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
    // Damaged: shown as it is stored.
    return encodedId;
  }
}
