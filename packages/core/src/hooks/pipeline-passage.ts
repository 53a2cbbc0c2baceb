import { describeValue } from '../base/describe-value.ts';
import { isPromise } from '../base/is-promise.ts';
import { asThrown } from '../base/thrown.ts';
import type { Run, TapObserver } from '../contract/hooks.ts';
import { badResult } from './bad-result.ts';
import type { Frame } from './frame.ts';
import type { LiveTap } from './live-tap.ts';
import type { WatchedCall, Watcher } from './watcher.ts';

/** What a run does for the before and after hooks that it calls. */
export interface PipelineCaller<V> extends WatchedCall {
  /** A tap is about to get this value: gives the run as the tap's plugin sees it, or undefined to pass the tap over. */
  enter(tap: LiveTap, value: V): Run | undefined;
  /** Waits for the rest of the taps, from the promise of one of them on; an abort or a time-out comes first. */
  wait(passage: PipelinePassage<V>, pending: Promise<unknown>): Promise<V>;
  /** The next value, made of what a tap returned and the value it was given. */
  accept(tap: LiveTap, returned: unknown, given: V): V;
  /** Notes who threw. Gives what the taps after it go on with, or undefined when they do not run. */
  failed(tap: LiveTap, error: unknown, given: V): { readonly value: V } | undefined;
}

type PipelineFn<V> = (...args: [Run] | [V, Run]) => unknown;

/** One call of a before or after hook: the value on its way through the taps. */
export class PipelinePassage<V> {
  readonly #taps: readonly LiveTap[];
  readonly #watcher: Watcher | undefined;
  readonly #caller: PipelineCaller<V>;
  /** Of the tap that is under way. */
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

  /** The tap that is under way. */
  get tap(): LiveTap | undefined {
    return this.#taps[this.#index];
  }

  /** Calls the taps until one of them gives a promise, which is returned; undefined when all are through. */
  start(): Promise<unknown> | undefined {
    this.#watcher?.call(this.#value);
    return this.#callTaps();
  }

  /** Goes on when the promise of the tap under way has settled, to the end, or until the frame is closed. */
  async finish(first: Promise<unknown>, frame: Frame): Promise<V> {
    let pending: Promise<unknown> | undefined = first;
    while (pending !== undefined) {
      try {
        const returned: unknown = await pending;
        // Nobody waits for this any more.
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

  /** Gives the tap under way up. The taps after it run if the hook goes on after a failure; otherwise throws the reason. */
  giveUp(reason: unknown): Promise<unknown> | undefined {
    this.#fail(reason);
    this.#index += 1;
    return this.#callTaps();
  }

  #callTaps(): Promise<unknown> | undefined {
    for (; this.#index < this.#taps.length; this.#index += 1) {
      // The index is in range.
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
    // A tap of this hook was registered through its view, which takes functions of this type.
    const fn = tap.registration.fn as PipelineFn<V>;
    const returned = hook === 'beforeAgent' ? fn(run) : fn(value, run);
    // A thenable that is not a promise may do its work when it is asked for, so it is asked once.
    if (returned !== value && isPromise(returned)) return Promise.resolve(returned);
    if (wantsPromise) {
      throw badResult(tap, describeValue(returned), 'a promise, because it was registered with tapPromise');
    }
    this.#accept(returned);
    return undefined;
  }

  #accept(returned: unknown): void {
    // The index is that of the tap that has just returned.
    const accepted = this.#caller.accept(this.#taps[this.#index] as LiveTap, returned, this.#value);
    const observer = this.#observer;
    this.#observer = undefined;
    observer?.done(accepted);
    this.#value = accepted;
  }

  /** Throws, unless the taps after the one that failed run all the same. */
  #fail(thrown: unknown): void {
    const error = this.#observed(asThrown(thrown));
    const rest = this.#caller.failed(this.#taps[this.#index] as LiveTap, error, this.#value);
    if (rest === undefined) {
      this.#watcher?.error(error);
      throw error;
    }
    this.#value = rest.value;
  }

  /** Tells whoever watches of a failure. Gives what failed: a watcher that throws is one, too. */
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
