import { AsyncLocalStorage } from 'node:async_hooks';

/** Who wants to know of signs of life. */
interface Listener {
  readonly alive: () => void;
  /** Whether somebody who sees the bytes reports them. */
  seesBytes: boolean;
}

const listeners = new AsyncLocalStorage<Listener>();

/** Calls a provider package; `alive` is called for each piece of a body that `boundedFetch` sees inside of that call. */
export function listening<T>(listener: Listener, call: () => T): T {
  return listeners.run(listener, call);
}

/** What reports the bytes of a request that is being made; undefined if nobody listens. */
export function reporter(): (() => void) | undefined {
  const listener = listeners.getStore();
  if (listener === undefined) return undefined;
  listener.seesBytes = true;
  return listener.alive;
}
