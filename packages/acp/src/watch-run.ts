import { ShallotError } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import { followRun, type FollowedTreeEvent } from '@shallot/core/work';

/** The time between two checks if somebody still works on the run, in milliseconds. */
const lookMs = 2000;

export interface WatchOptions {
  /** The id of the last message that the editor shows; undefined to show the run from its beginning. */
  readonly after: string | undefined;
  readonly signal: AbortSignal;
  readonly onEvent: (event: FollowedTreeEvent) => Promise<void>;
}

/** The end of a run as its record has it. */
export type WatchedEnd = Extract<FollowedTreeEvent, { type: 'run-end' }>;

/**
 * Shows a run that another process works on. Returns its end; undefined once nobody works on it, or on an abort.
 * @throws the error of a run that failed
 */
export async function watchRun(
  store: Store,
  sessionId: string,
  { after, signal, onEvent }: WatchOptions,
): Promise<WatchedEnd | undefined> {
  const left = new AbortController();
  const look = setInterval(() => {
    // A failed check is followed by another one.
    void isLeft(store, sessionId).then(
      (isOver) => isOver && left.abort(),
      () => {},
    );
  }, lookMs);
  try {
    const options = {
      children: true as const,
      signal: AbortSignal.any([signal, left.signal]),
      ...(after !== undefined && { after }),
    };
    for await (const event of followRun(store, sessionId, options)) {
      if (event.type !== 'run-end') await onEvent(event);
      else if (event.failure === undefined) return event;
      else throw new ShallotError(event.failure.code, event.failure);
    }
    return undefined;
  } finally {
    clearInterval(look);
  }
}

/** Returns true if the session has an unfinished run that no process works on. */
async function isLeft(store: Store, sessionId: string): Promise<boolean> {
  for await (const { id } of store.list({ id: sessionId, resumable: true })) return id === sessionId;
  return false;
}
