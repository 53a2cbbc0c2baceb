import { maxTimerMs } from './in-time.ts';

/** Calls a function for each of its members every so many milliseconds, with one timer for all of them. */
export class Ticker<T> {
  readonly #everyMs: number;
  readonly #tick: (member: T) => void;
  readonly #members = new Set<T>();
  #timer: NodeJS.Timeout | undefined;

  /** Intervals that are too long for a timer never come. */
  constructor(everyMs: number, tick: (member: T) => void) {
    this.#everyMs = everyMs;
    this.#tick = tick;
  }

  /** The first tick may come at once: the timer does not begin anew. A member keeps the process alive. */
  add(member: T): void {
    if (this.#everyMs > maxTimerMs) return;
    this.#members.add(member);
    this.#timer ??= setInterval(() => this.#tickAll(), this.#everyMs);
    this.#timer.ref();
  }

  drop(member: T): void {
    // An idle timer is stopped at its next tick: starting one for each member would cost more.
    if (this.#members.delete(member) && this.#members.size === 0) this.#timer?.unref();
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
