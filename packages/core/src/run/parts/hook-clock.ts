import { Ticker } from '../../base/ticker.ts';

/** Checks per hook timeout. */
const looks = 4;

/** Applies the hook timeout to all runs of an agent, with one timer. */
export class HookTimes {
  readonly #ticker: Ticker<HookClock>;

  /** `ms` is the longest time that a tap may keep its run waiting. */
  constructor(ms: number) {
    this.#ticker = new Ticker(Math.ceil(ms / looks), (clock) => clock.look());
  }

  clock(): HookClock {
    return new HookClock(this.#ticker);
  }

  stop(): void {
    this.#ticker.stop();
  }
}

/**
 * Measures how long a tap keeps its run waiting. It stops while the tap waits for the core, and restarts from zero
 * after that.
 */
export class HookClock {
  readonly #ticker: Ticker<HookClock>;
  #expire: (() => void) | undefined;
  /** The number of checks that found the same tap. The first check may come at once and does not count. */
  #seen = -1;
  /** The waits of the current tap. Those of earlier taps are not counted. */
  #pauses: Set<object> | undefined;
  #mayPause = true;

  constructor(ticker: Ticker<HookClock>) {
    this.#ticker = ticker;
  }

  /** Starts the time of a tap; waits that earlier taps left running no longer stop the clock. */
  enter(): void {
    this.#seen = -1;
    this.#pauses = undefined;
  }

  /** Starts the clock when the run begins to wait for a tap; `expire` is called on a timeout. */
  begin(expire: () => void): void {
    this.#expire = expire;
    this.#seen = this.#ticker.add(this) ? 0 : -1;
  }

  end(): void {
    this.#expire = undefined;
    this.#ticker.drop(this);
  }

  /** Lets the clock run during all waits, because the run was stopped. */
  runOn(): void {
    this.#mayPause = false;
    this.#pauses = undefined;
  }

  /** Stops the clock until the promise settles. */
  async pauseFor<T>(promise: Promise<T>): Promise<T> {
    if (!this.#mayPause) return promise;
    const pauses = (this.#pauses ??= new Set());
    const pause = {};
    pauses.add(pause);
    try {
      return await promise;
    } finally {
      pauses.delete(pause);
      if (pauses === this.#pauses && pauses.size === 0) this.#seen = -1;
    }
  }

  look(): void {
    if (this.#pauses !== undefined && this.#pauses.size > 0) return;
    this.#seen += 1;
    if (this.#seen >= looks) this.#expire?.();
  }
}
