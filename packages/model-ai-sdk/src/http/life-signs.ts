import { AsyncLocalStorage } from 'node:async_hooks';

/** Who wants to know of requests and of signs of life. */
interface Listener {
  readonly alive: () => void;
  /** Called with the address of each request that is made. */
  readonly sentTo: (url: string) => void;
  /** Whether somebody who sees the bytes reports them. */
  seesBytes: boolean;
}

const listeners = new AsyncLocalStorage<Listener>();

/** Calls a provider package; the listener hears of each request, and each piece of a body, that `boundedFetch` sees in there. */
export function listening<T>(listener: Listener, call: () => T): T {
  return listeners.run(listener, call);
}

/** What reports the bytes of a request that is being made to `url`; undefined if nobody listens. */
export function reporter(url: string): (() => void) | undefined {
  const listener = listeners.getStore();
  if (listener === undefined) return undefined;
  listener.seesBytes = true;
  listener.sentTo(url);
  return listener.alive;
}
