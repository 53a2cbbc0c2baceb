import { AsyncLocalStorage } from 'node:async_hooks';

/** Facts about a request that become known while it is answered. */
export interface RequestNotes {
  /** The path of the request's row in the table of routes. */
  route?: string;
  /** The name of the sender. */
  by?: string;
  sessionId?: string;
  runId?: string;
  /** The place of the request in a trace, as a `traceparent`: its own span, or else the one that it was sent from. */
  readonly traceparent?: string;
}

const current = new AsyncLocalStorage<RequestNotes>();

/** Calls a function. `noteRequest` within it adds to these notes. */
export function withNotes<T>(notes: RequestNotes, call: () => T): T {
  return current.run(notes, call);
}

/** Adds facts to the notes about the current request. */
export function noteRequest(learned: Omit<RequestNotes, 'traceparent'>): void {
  const notes = current.getStore();
  if (notes !== undefined) Object.assign(notes, learned);
}

/** Returns the `traceparent` of the current request; undefined if it has none. */
export function traceparentOfRequest(): string | undefined {
  return current.getStore()?.traceparent;
}
