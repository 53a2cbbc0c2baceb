import type { RunRecord } from '../../contract/store.ts';

/**
 * Returns true if `resume` can continue a run: it waits for answers, its process died, or it was aborted or failed before
 * it reached its end.
 */
export function isResumable({ status, position, stopReason }: RunRecord): boolean {
  if (status === 'completed') return false;
  if (status === 'interrupted' || status === 'running' || position.at !== 'end') return true;
  // Abandoned runs, and failures that a resume would only repeat, are excluded.
  return stopReason !== 'abort' && stopReason !== 'error';
}
