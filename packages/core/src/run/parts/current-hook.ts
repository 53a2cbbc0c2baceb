import type { HookName } from '../../base/hook-names.ts';
import type { RunPosition } from '../../contract/store.ts';
import type { HookClock, HookTimes } from './hook-clock.ts';

/** The before or after hook that a run is in, if it is in one, and the time that its tap under way takes. */
export class CurrentHook {
  readonly #times: HookTimes;
  #name: HookName | undefined;
  #locate: (() => RunPosition | undefined) | undefined;
  #clock: HookClock | undefined;
  #runsOn = false;

  constructor(times: HookTimes) {
    this.#times = times;
  }

  get name(): HookName | undefined {
    return this.#name;
  }

  /** Where the run would go on after a question that is asked now, if that is not its position. */
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

  /** A hook is entered; `locate` gives where the run would go on with its tap under way. */
  enter(hook: HookName, locate: (() => RunPosition | undefined) | undefined): void {
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

  /** While the core works for a hook, the hook's time stands still. */
  pauseFor<T>(work: Promise<T>): Promise<T> {
    return this.#name === undefined ? work : this.clock.pauseFor(work);
  }

  /** The run was stopped: time stands still for nothing any more. */
  runOn(): void {
    this.#runsOn = true;
    this.#clock?.runOn();
  }
}
