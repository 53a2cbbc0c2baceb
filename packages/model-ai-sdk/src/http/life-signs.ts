import { AsyncLocalStorage } from 'node:async_hooks';

/** Receives requests and signs of life. */
interface Listener {
  readonly alive: () => void;
  /** Called with the URL of each request. */
  readonly sentTo: (url: string) => void;
  /** True if `boundedFetch` reports received bytes. */
  seesBytes: boolean;
}

const listeners = new AsyncLocalStorage<Listener>();

/**
 * Calls a provider package. The listener is notified of each request made through `boundedFetch`, and of each received
 * piece.
 */
export function listening<T>(listener: Listener, call: () => T): T {
  return listeners.run(listener, call);
}

/**
 * Reports a request to the listener, and returns a function that reports its received bytes; undefined without a listener.
 */
export function reporter(url: string): (() => void) | undefined {
  const listener = listeners.getStore();
  if (listener === undefined) return undefined;
  listener.seesBytes = true;
  listener.sentTo(url);
  return listener.alive;
}
