/**
 * Measures how long a before or after hook keeps a run waiting. It stands still while the hook waits for the core, and
 * begins anew after that.
 */
export class HookClock {
  readonly #ms: number;
  #expire: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pauses = 0;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Begins for one hook; `expire` is called when its time is over. */
  begin(expire: () => void): void {
    this.#expire = expire;
    this.#start();
  }

  end(): void {
    this.#expire = undefined;
    clearTimeout(this.#timer);
  }

  /** Stands still for as long as the promise takes. */
  async pauseFor<T>(promise: Promise<T>): Promise<T> {
    this.#pauses += 1;
    clearTimeout(this.#timer);
    try {
      return await promise;
    } finally {
      this.#pauses -= 1;
      this.#start();
    }
  }

  #start(): void {
    if (this.#expire === undefined || this.#pauses > 0 || !Number.isFinite(this.#ms)) return;
    this.#timer = setTimeout(this.#expire, this.#ms);
  }
}
