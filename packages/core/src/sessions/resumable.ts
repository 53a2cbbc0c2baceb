import type { RunRecord } from '../contract/store.ts';

/**
 * Whether `resume` can take a run up: it waits for answers, or came to no end of its own because its process died, or
 * because it was aborted or failed on the way.
 */
export function isResumable({ status, position, stopReason }: RunRecord): boolean {
  if (status === 'completed') return false;
  if (status === 'interrupted' || status === 'running' || position.at !== 'end') return true;
  // Given up, or ended by a failure that the next attempt could only repeat.
  return stopReason !== 'abort' && stopReason !== 'error';
}
