import type { Emit } from '../contract/model.ts';

/** The destination of chunks between two layers. */
export interface Sink<C> {
  readonly push: Emit<C>;
  /** True if content has been sent since the last restart. */
  dirty: boolean;
  readonly pressure: Pressure;
}

/** Counts the chunks that a listener has received but not finished processing. */
export class Pressure {
  #pending = 0;
  #taken = 0;

  /** True while the listener is processing a chunk. */
  get isOn(): boolean {
    return this.#pending > 0;
  }

  /** The number of chunks that the listener processed asynchronously. */
  get taken(): number {
    return this.#taken;
  }

  /** Counts a chunk as pending until the promise that the listener returned settles. */
  note(pressure: void | Promise<void>, failed?: (error: unknown) => void): void | Promise<void> {
    if (pressure === undefined) return undefined;
    this.#pending += 1;
    const over = (): void => {
      this.#pending -= 1;
      this.#taken += 1;
    };
    pressure.then(over, (error: unknown) => {
      over();
      failed?.(error);
    });
    return pressure;
  }
}

/** Returns a sink for a listener; `failed` receives its errors. */
export function sinkFor<C>(listener: Emit<C>, failed: (error: unknown) => void): Sink<C> {
  const sink = {
    dirty: false,
    pressure: new Pressure(),
    push: (chunk: C): void | Promise<void> => {
      sink.dirty = (chunk as { readonly type?: unknown } | null)?.type !== 'restart';
      try {
        return sink.pressure.note(listener(chunk), failed);
      } catch (error) {
        failed(error);
        throw error;
      }
    },
  };
  return sink;
}
