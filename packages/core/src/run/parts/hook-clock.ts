import { Ticker } from '../../base/ticker.ts';

/** How many looks make up the time that a hook has. */
const looks = 4;

/** Looks after the before and after hooks of an agent's runs, with one timer for all of them. */
export class HookTimes {
  readonly #ticker: Ticker<HookClock>;

  /** `ms` is how long a tap may keep its run waiting. */
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
 * Measures how long the tap of a before or after hook keeps a run waiting. It stands still while the tap waits for the
 * core, and begins anew after that.
 */
export class HookClock {
  readonly #ticker: Ticker<HookClock>;
  #expire: (() => void) | undefined;
  /** How many looks have found the same tap. The first may come at once, so it does not count. */
  #seen = -1;
  /** What the tap that is under way waits for; what an earlier one left running is not counted. */
  #pauses: Set<object> | undefined;
  #mayPause = true;

  constructor(ticker: Ticker<HookClock>) {
    this.#ticker = ticker;
  }

  /** A tap is entered: what others have left running does not make its time stand still. */
  enter(): void {
    this.#seen = -1;
    this.#pauses = undefined;
  }

  /** The hook begins to wait for the tap that was entered; `expire` is called when the time of a tap is over. */
  begin(expire: () => void): void {
    this.#expire = expire;
    this.#seen = this.#ticker.add(this) ? 0 : -1;
  }

  end(): void {
    this.#expire = undefined;
    this.#ticker.drop(this);
  }

  /** It stands still for nothing any more: the run was stopped. */
  runOn(): void {
    this.#mayPause = false;
    this.#pauses = undefined;
  }

  /** Stands still for as long as the promise takes. */
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
