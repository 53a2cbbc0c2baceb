import { maxTimerMs } from '../base/in-time.ts';

/**
 * Measures how long a before or after hook keeps a run waiting. It stands still while the hook waits for the core, and
 * begins anew after that.
 */
export class HookClock {
  readonly #ms: number;
  #expire: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** What the hook that is under way waits for; what an earlier one left running is not counted. */
  #pauses = new Set<object>();
  #mayPause = true;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** A hook is entered: what others have left running does not make its time stand still. */
  enter(): void {
    if (this.#pauses.size > 0) this.#pauses = new Set();
  }

  /** Begins for the hook that was entered; `expire` is called when its time is over. */
  begin(expire: () => void): void {
    this.#expire = expire;
    this.#start();
  }

  end(): void {
    this.#expire = undefined;
    clearTimeout(this.#timer);
  }

  /** It stands still for nothing any more: the run was stopped. */
  runOn(): void {
    this.#mayPause = false;
    if (this.#pauses.size === 0) return;
    this.#pauses = new Set();
    this.#start();
  }

  /** Stands still for as long as the promise takes. */
  async pauseFor<T>(promise: Promise<T>): Promise<T> {
    if (!this.#mayPause) return promise;
    const pauses = this.#pauses;
    const pause = {};
    pauses.add(pause);
    clearTimeout(this.#timer);
    try {
      return await promise;
    } finally {
      pauses.delete(pause);
      if (pauses === this.#pauses) this.#start();
    }
  }

  #start(): void {
    clearTimeout(this.#timer);
    if (this.#expire === undefined || this.#pauses.size > 0 || this.#ms > maxTimerMs) return;
    this.#timer = setTimeout(this.#expire, this.#ms);
  }
}
