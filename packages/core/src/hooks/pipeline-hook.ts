import { asThrown } from '../base/as-thrown.ts';
import { describeValue } from '../base/describe-value.ts';
import { isPromise } from '../base/is-promise.ts';
import type { Run } from '../contract/hooks.ts';
import { badResult } from './bad-result.ts';
import type { LiveTap } from './live-tap.ts';
import { liveTaps, ShallotHook } from './shallot-hook.ts';
import type { CompileOptions } from './tapable-hook.ts';
import { watchOf, type Watch, type WatchedCall, type Watcher } from './watcher.ts';

/** What a run does for the before and after hooks that it calls. */
export interface PipelineCaller<V> extends WatchedCall {
  /** A tap is about to get this value: gives the run as the tap's plugin sees it, or undefined to pass the tap over. */
  enter(tap: LiveTap, value: V): Run | undefined;
  /** Waits for a tap's promise, but no longer than its time-out or the run's abort. */
  wait(tap: LiveTap, promise: Promise<unknown>): Promise<unknown>;
  /** The next value, made of what a tap returned and the value it was given. */
  accept(tap: LiveTap, returned: unknown, given: V): V;
  /** Notes who threw. Gives what the taps after it go on with, or undefined when they do not run. */
  failed(tap: LiveTap, error: unknown, given: V): { readonly value: V } | undefined;
}

/** Calls the taps in order, from a given one on: `from` is the key of one of them. */
export type Pipeline<V> = (value: V, caller: PipelineCaller<V>, from?: string) => Promise<V>;

export interface PipelineSnapshot<V> {
  readonly taps: readonly LiveTap[];
  /** Whether no interceptor listens. */
  readonly quiet: boolean;
  readonly call: Pipeline<V>;
}

type PipelineFn<V> = (...args: [Run] | [V, Run]) => unknown;

/**
 * The before and after hooks: each tap gets what the tap before it returned, "nothing" leaving the value as it is. A
 * `beforeAgent` tap gets the run alone.
 */
export class PipelineHook<V> extends ShallotHook<PipelineSnapshot<V>> {
  override compile({ taps, interceptors }: CompileOptions): PipelineSnapshot<V> {
    const ordered = liveTaps(taps);
    const watch = watchOf(interceptors);
    return {
      taps: ordered,
      quiet: watch === undefined,
      call: (value, caller, from) => callPipeline(ordered, watch, value, caller, from),
    };
  }
}

async function callPipeline<V>(
  taps: readonly LiveTap[],
  watch: Watch | undefined,
  first: V,
  caller: PipelineCaller<V>,
  from: string | undefined,
): Promise<V> {
  const watcher = watch?.(caller);
  let value = first;
  let index = from === undefined ? 0 : taps.findIndex((tap) => tap.key === from);
  watcher?.call(value);
  for (; index < taps.length; index += 1) {
    // The index is in range.
    const tap = taps[index] as LiveTap;
    try {
      const returned = callTap(tap, value, caller, watcher);
      if (returned !== value) value = isPromise(returned) ? await returned : returned;
    } catch (thrown) {
      const error = asThrown(thrown);
      const rest = caller.failed(tap, error, value);
      if (rest === undefined) {
        watcher?.error(error);
        throw error;
      }
      value = rest.value;
    }
  }
  watcher?.result(value);
  return value;
}

function callTap<V>(
  tap: LiveTap,
  value: V,
  caller: PipelineCaller<V>,
  watcher: Watcher | undefined,
): V | Promise<V> {
  const run = caller.enter(tap, value);
  if (run === undefined) return value;
  const observer = watcher?.tap(tap, value, run);
  if (observer === undefined) return invoke(tap, value, run, caller);
  const settled = (accepted: V): V => {
    observer.done(accepted);
    return accepted;
  };
  const failed = (error: unknown): never => {
    observer.done(undefined, error);
    throw error;
  };
  let accepted: V | Promise<V>;
  try {
    accepted = invoke(tap, value, run, caller);
  } catch (error) {
    return failed(error);
  }
  return isPromise(accepted) ? accepted.then(settled, failed) : settled(accepted);
}

function invoke<V>(tap: LiveTap, value: V, run: Run, caller: PipelineCaller<V>): V | Promise<V> {
  const { hook, wantsPromise } = tap.registration;
  const fn = tap.registration.fn as PipelineFn<V>;
  const returned = hook === 'beforeAgent' ? fn(run) : fn(value, run);
  if (returned !== value && isPromise(returned)) {
    // A thenable that is not a promise may do its work when it is asked for, so it is asked once.
    return caller.wait(tap, Promise.resolve(returned)).then((settled) => caller.accept(tap, settled, value));
  }
  if (wantsPromise) {
    throw badResult(tap, describeValue(returned), 'a promise, as it was registered with tapPromise');
  }
  return caller.accept(tap, returned, value);
}
