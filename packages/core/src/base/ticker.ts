import { maxTimerMs } from './in-time.ts';

/** Calls a function for each member at a fixed interval, with one timer for all members. */
export class Ticker<T> {
  readonly #everyMs: number;
  readonly #tick: (member: T) => void;
  readonly #keepsAlive: boolean;
  readonly #members = new Set<T>();
  #timer: NodeJS.Timeout | undefined;

  /**
   * An interval that is too long for a timer never fires. The timer does not keep the process alive unless `keepsAlive`
   * is set.
   */
  constructor(everyMs: number, tick: (member: T) => void, { keepsAlive = false } = {}) {
    this.#everyMs = everyMs;
    this.#tick = tick;
    this.#keepsAlive = keepsAlive;
  }

  /**
   * Adds a member. Its first tick may come early, because a running timer is not restarted. Returns true if this
   * started the timer.
   */
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
    // An idle timer stops at its next tick, which is cheaper than starting one per member.
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
