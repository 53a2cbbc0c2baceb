import { describeValue } from '../base/describe-value.ts';
import { isPromise } from '../base/is-promise.ts';
import { asThrown } from '../base/thrown.ts';
import type { Run, TapObserver } from '../contract/hooks.ts';
import { badResult } from './bad-result.ts';
import type { Frame } from './frame.ts';
import type { LiveTap } from './live-tap.ts';
import type { WatchedCall, Watcher } from './watcher.ts';

/** The run's side of a call of a before or after hook. */
export interface PipelineCaller<V> extends WatchedCall {
  /** Called before a tap. Returns the run as the tap's plugin sees it; undefined to skip the tap. */
  enter(tap: LiveTap, value: V): Run | undefined;
  /** Waits for a tap's promise and then calls the remaining taps. Rejects on an abort or a timeout. */
  wait(call: PipelineCall<V>, pending: Promise<unknown>): Promise<V>;
  /** Returns the next value from a tap's return value and the value it received. */
  accept(tap: LiveTap, returned: unknown, given: V): V;
  /** Notes which tap threw. Returns the value for the remaining taps; undefined if they are not called. */
  failed(tap: LiveTap, error: unknown, given: V): { readonly value: V } | undefined;
}

type PipelineFn<V> = (...args: [Run] | [V, Run]) => unknown;

/** One call of a before or after hook: passes a value through its taps. */
export class PipelineCall<V> {
  readonly #taps: readonly LiveTap[];
  readonly #watcher: Watcher | undefined;
  readonly #caller: PipelineCaller<V>;
  /** The index of the current tap. */
  #index: number;
  #observer: Required<TapObserver> | undefined;
  #value: V;

  constructor(
    taps: readonly LiveTap[],
    watcher: Watcher | undefined,
    value: V,
    caller: PipelineCaller<V>,
    first: number,
  ) {
    this.#taps = taps;
    this.#watcher = watcher;
    this.#value = value;
    this.#caller = caller;
    this.#index = first;
  }

  get value(): V {
    return this.#value;
  }

  /** The current tap. */
  get tap(): LiveTap | undefined {
    return this.#taps[this.#index];
  }

  /** Calls the taps until one returns a promise, which is returned; undefined if none did. */
  start(): Promise<unknown> | undefined {
    this.#watcher?.call(this.#value);
    return this.#callTaps();
  }

  /** Waits for the current tap's promise, then calls the remaining taps, until the frame is closed. */
  async finish(first: Promise<unknown>, frame: Frame): Promise<V> {
    let pending: Promise<unknown> | undefined = first;
    while (pending !== undefined) {
      try {
        const returned: unknown = await pending;
        // The frame was closed during the wait.
        if (frame.closed) break;
        this.#accept(returned);
      } catch (error) {
        if (frame.closed) break;
        this.#fail(error);
      }
      this.#index += 1;
      pending = this.#callTaps();
    }
    return this.#value;
  }

  /**
   * Abandons the current tap. Calls the remaining taps if the hook continues after failures; otherwise throws `reason`.
   */
  giveUp(reason: unknown): Promise<unknown> | undefined {
    this.#fail(reason);
    this.#index += 1;
    return this.#callTaps();
  }

  #callTaps(): Promise<unknown> | undefined {
    for (; this.#index < this.#taps.length; this.#index += 1) {
      const tap = this.#taps[this.#index] as LiveTap;
      try {
        const pending = this.#call(tap);
        if (pending !== undefined) return pending;
      } catch (error) {
        this.#fail(error);
      }
    }
    this.#watcher?.result(this.#value);
    return undefined;
  }

  #call(tap: LiveTap): Promise<unknown> | undefined {
    const value = this.#value;
    const run = this.#caller.enter(tap, value);
    if (run === undefined) return undefined;
    this.#observer = this.#watcher?.tap(tap, value, run);
    const { hook, wantsPromise } = tap.registration;
    // Taps of this hook are registered with a function of this type.
    const fn = tap.registration.fn as PipelineFn<V>;
    const returned = hook === 'beforeAgent' ? fn(run) : fn(value, run);
    // `then` of other thenables may have effects, so it is called only once.
    if (returned !== value && isPromise(returned)) return Promise.resolve(returned);
    if (wantsPromise) {
      throw badResult(tap, describeValue(returned), 'a promise, because it was registered with tapPromise');
    }
    this.#accept(returned);
    return undefined;
  }

  #accept(returned: unknown): void {
    const accepted = this.#caller.accept(this.#taps[this.#index] as LiveTap, returned, this.#value);
    const observer = this.#observer;
    this.#observer = undefined;
    observer?.done(accepted);
    this.#value = accepted;
  }

  /** Throws the error, unless the hook continues after failures. */
  #fail(thrown: unknown): void {
    const error = this.#observed(asThrown(thrown));
    const rest = this.#caller.failed(this.#taps[this.#index] as LiveTap, error, this.#value);
    if (rest === undefined) {
      this.#watcher?.error(error);
      throw error;
    }
    this.#value = rest.value;
  }

  /** Reports a failure to the observer. Returns it, or the error that the observer threw. */
  #observed(error: unknown): unknown {
    const observer = this.#observer;
    this.#observer = undefined;
    try {
      observer?.done(undefined, error);
      return error;
    } catch (failure) {
      return failure;
    }
  }
}
