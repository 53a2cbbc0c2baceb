import type { Emit } from '../contract/model.ts';

/** Where chunks of one stretch of the onion go. */
export interface Sink<C> {
  readonly push: Emit<C>;
  /** Whether content went through since the last restart. */
  dirty: boolean;
  readonly pressure: Pressure;
}

/** What a listener has been given, and has not taken yet. */
export class Pressure {
  #pending = 0;
  #taken = 0;

  /** Whether somebody waits for the listener. */
  get isOn(): boolean {
    return this.#pending > 0;
  }

  /** How much the listener has taken its time for. */
  get taken(): number {
    return this.#taken;
  }

  /** Counts what a listener returned until it settles. */
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

/** A sink around a listener's function; `failed` is told what it throws. */
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
