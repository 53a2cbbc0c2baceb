import type { Emit } from './model.ts';

/** Where chunks of one stretch of the onion go. */
export interface Sink<C> {
  readonly push: Emit<C>;
  /** Whether content went through since the last restart. */
  dirty: boolean;
}

/** A sink around a listener's function; `failed` is told what it throws. */
export function sinkFor<C>(listener: Emit<C>, failed: (error: unknown) => void): Sink<C> {
  const sink = {
    dirty: false,
    push: (chunk: C): void | Promise<void> => {
      sink.dirty = (chunk as { readonly type?: unknown } | null)?.type !== 'restart';
      try {
        const pressure = listener(chunk);
        if (pressure !== undefined) pressure.then(undefined, failed);
        return pressure;
      } catch (error) {
        failed(error);
        throw error;
      }
    },
  };
  return sink;
}
