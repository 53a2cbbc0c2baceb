import type { HookName } from '../../base/hook-names.ts';
import type { RunPosition } from '../../contract/store.ts';
import type { HookClock, HookTimes } from './hook-clock.ts';

/** The before or after hook that a run is in, and the time limit of its current tap. */
export class CurrentHook {
  readonly #times: HookTimes;
  #name: HookName | undefined;
  #locate: (() => RunPosition) | undefined;
  #clock: HookClock | undefined;
  #runsOn: boolean;

  /** `runsOn` is true if the run was already stopped. */
  constructor(times: HookTimes, runsOn: boolean) {
    this.#times = times;
    this.#runsOn = runsOn;
  }

  get name(): HookName | undefined {
    return this.#name;
  }

  /**
   * The position to store if the current tap asks a question; undefined outside of hooks, or if the position does not
   * change.
   */
  get position(): RunPosition | undefined {
    return this.#locate?.();
  }

  get clock(): HookClock {
    if (this.#clock === undefined) {
      this.#clock = this.#times.clock();
      if (this.#runsOn) this.#clock.runOn();
    }
    return this.#clock;
  }

  /** Enters a hook; `locate` returns the position of its current tap. */
  enter(hook: HookName, locate: (() => RunPosition) | undefined): void {
    this.#name = hook;
    this.#locate = locate;
  }

  enterTap(): void {
    this.#clock?.enter();
  }

  leave(): void {
    this.#name = undefined;
    this.#locate = undefined;
  }

  /** Stops the hook's clock while the core works for the hook. */
  pauseFor<T>(work: Promise<T>): Promise<T> {
    return this.#name === undefined ? work : this.clock.pauseFor(work);
  }

  /** Lets the clock run during all waits, because the run was stopped. */
  runOn(): void {
    this.#runsOn = true;
    this.#clock?.runOn();
  }
}
