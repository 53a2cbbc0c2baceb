// Imported so that fake timers in tests do not replace it.
import { setImmediate } from 'node:timers';

import { Fifo } from '../../base/fifo.ts';

/**
 * The maximum number of runs that begin in one tick. Until its first wait, a run takes between some microseconds and some
 * tenths of a millisecond.
 */
export const mostInTick = 20;

/**
 * Limits the number of runs that begin in one tick of the event loop, so that thousands started together do not block the
 * process: a run that never waits ends in the tick in which it began.
 */
export class Ticks {
  readonly #waiting = new Fifo<() => void>();
  /** The number of runs begun in this tick. */
  #begun = 0;
  /** The number of runs begun and not ended. */
  #active = 0;
  #isAwaited = false;

  /**
   * Returns undefined if a run may begin now, else a promise that resolves in a later tick. Every begun run must call
   * `end`.
   */
  begin(): Promise<void> | undefined {
    if (!this.#isAwaited) this.#awaitTick();
    if (this.#begun >= mostInTick) return this.#laterTick();
    this.#begun += 1;
    this.#active += 1;
    return undefined;
  }

  /** Notes the end of a run. The count restarts when no run is active, so that sequential runs never wait. */
  end(): void {
    this.#active -= 1;
    if (this.#active === 0 && this.#waiting.length === 0) this.#begun = 0;
  }

  #laterTick(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    return promise;
  }

  #awaitTick(): void {
    this.#isAwaited = true;
    setImmediate(() => {
      this.#isAwaited = false;
      this.#letIn();
      if (this.#begun > 0) this.#awaitTick();
    });
  }

  #letIn(): void {
    this.#begun = 0;
    while (this.#begun < mostInTick) {
      const begin = this.#waiting.shift();
      if (begin === undefined) return;
      this.#begun += 1;
      this.#active += 1;
      begin();
    }
  }
}

/** The ticks shared by all runs of the process. */
export const ticks = new Ticks();
