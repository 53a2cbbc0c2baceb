import { AsyncLocalStorage } from 'node:async_hooks';

/** The things that are learned about a request while it is answered. */
export interface RequestNotes {
  /** The path of its row in the table of routes. */
  route?: string;
  /** The name of its sender. */
  by?: string;
  sessionId?: string;
  runId?: string;
  /** Its place in a trace, as a `traceparent`: its span, or else where it was sent from. */
  readonly traceparent?: string;
}

const current = new AsyncLocalStorage<RequestNotes>();

/** Calls a function whose callees learn something about this request. */
export function withNotes<T>(notes: RequestNotes, call: () => T): T {
  return current.run(notes, call);
}

/** Notes something about the request that is being answered. */
export function noteRequest(learned: Omit<RequestNotes, 'traceparent'>): void {
  const notes = current.getStore();
  if (notes !== undefined) Object.assign(notes, learned);
}

/** Returns the `traceparent` of the request that is being answered. */
export function traceparentOfRequest(): string | undefined {
  return current.getStore()?.traceparent;
}
