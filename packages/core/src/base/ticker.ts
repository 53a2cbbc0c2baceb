import { maxTimerMs } from './in-time.ts';

/** Calls a function for each of its members every so many milliseconds, with one timer for all of them. */
export class Ticker<T> {
  readonly #everyMs: number;
  readonly #tick: (member: T) => void;
  readonly #keepsAlive: boolean;
  readonly #members = new Set<T>();
  #timer: NodeJS.Timeout | undefined;

  /**
   * Intervals that are too long for a timer never come. Unless members are to keep the process alive, something else must:
   * what is looked after by the tickers of an agent is part of its runs, which do.
   */
  constructor(everyMs: number, tick: (member: T) => void, { keepsAlive = false } = {}) {
    this.#everyMs = everyMs;
    this.#tick = tick;
    this.#keepsAlive = keepsAlive;
  }

  /** The first tick may come at once: a timer that runs does not begin anew. Whether it began with this member. */
  add(member: T): boolean {
    if (this.#everyMs > maxTimerMs) return false;
    const isFirst = this.#members.size === 0;
    this.#members.add(member);
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#tickAll(), this.#everyMs);
      if (!this.#keepsAlive) this.#timer.unref();
      return true;
    }
    if (isFirst && this.#keepsAlive) this.#timer.ref();
    return false;
  }

  drop(member: T): void {
    // An idle timer is stopped at its next tick: starting one for each member would cost more.
    if (this.#members.delete(member) && this.#keepsAlive && this.#members.size === 0) this.#timer?.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tickAll(): void {
    if (this.#members.size === 0) this.stop();
    for (const member of this.#members) this.#tick(member);
  }
}
