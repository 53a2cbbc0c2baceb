import type { RunInfo } from './run-info.ts';

/** Returns the ids of the run at the root of a tree of runs, which is the run itself unless it is a child. */
export function rootOf({ id, sessionId, parent }: Pick<RunInfo, 'id' | 'sessionId' | 'parent'>): {
  readonly runId: string;
  readonly sessionId: string;
} {
  if (parent === undefined) return { runId: id, sessionId };
  let call = parent;
  while (call.parent !== undefined) call = call.parent;
  return call;
}
