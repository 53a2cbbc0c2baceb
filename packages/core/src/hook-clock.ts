/** Measures how long a hook keeps a run waiting; it stands still while the hook waits for the core. */
export class HookClock {
  readonly #ms: number;
  readonly #expire: () => void;
  #timer: NodeJS.Timeout | undefined;
  #pauses = 0;
  #stopped = false;

  constructor(ms: number, expire: () => void) {
    this.#ms = ms;
    this.#expire = expire;
    this.#start();
  }

  /** Stands still for as long as the promise takes, and begins anew after it. */
  async pauseFor<T>(promise: Promise<T>): Promise<T> {
    this.#pauses += 1;
    clearTimeout(this.#timer);
    try {
      return await promise;
    } finally {
      this.#pauses -= 1;
      if (this.#pauses === 0 && !this.#stopped) this.#start();
    }
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #start(): void {
    if (Number.isFinite(this.#ms)) this.#timer = setTimeout(this.#expire, this.#ms);
  }
}
