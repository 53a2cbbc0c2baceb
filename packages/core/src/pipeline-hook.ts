import type { Run } from './hooks.ts';
import {
  badResult,
  isPromise,
  liveTaps,
  ShallotHook,
  watcherOf,
  type LiveTap,
  type Watcher,
} from './live-tap.ts';

/** What a run does for the before and after hooks that it calls. */
export interface PipelineCaller<V> {
  /** The run as this tap's plugin sees it. */
  enter(tap: LiveTap): Run;
  /** Waits for a tap's promise, but no longer than its time-out or the run's abort. */
  wait(tap: LiveTap, promise: Promise<unknown>): Promise<unknown>;
  /** The next value, made of what a tap returned and the value it was given. */
  accept(tap: LiveTap, returned: unknown, given: V): V;
  /** Notes who threw. Returns true when the taps after it still run. */
  failed(tap: LiveTap, error: unknown): boolean;
}

/** Calls the taps in order, from a given one on. */
export type Pipeline<V> = (value: V, caller: PipelineCaller<V>, from?: string) => Promise<V>;

export interface PipelineSnapshot<V> {
  readonly taps: readonly LiveTap[];
  readonly call: Pipeline<V>;
}

type PipelineFn<V> = (...args: [Run] | [V, Run]) => unknown;

/**
 * The before and after hooks: each tap gets what the tap before it returned, "nothing" leaving the value as it is. A
 * `beforeAgent` tap gets the run alone.
 */
export class PipelineHook<V> extends ShallotHook<PipelineSnapshot<V>> {
  compile({ taps, interceptors }: { taps: readonly object[]; interceptors: readonly object[] }): never {
    const ordered = liveTaps(taps);
    const watcher = watcherOf(interceptors);
    const snapshot: PipelineSnapshot<V> = {
      taps: ordered,
      call: (value, caller, from) => callPipeline(ordered, watcher, value, caller, from),
    };
    // tapable types `compile` as giving a function; `snapshot` is the only caller.
    return snapshot as never;
  }
}

async function callPipeline<V>(
  taps: readonly LiveTap[],
  watcher: Watcher | undefined,
  first: V,
  caller: PipelineCaller<V>,
  from: string | undefined,
): Promise<V> {
  let value = first;
  let index = from === undefined ? 0 : Math.max(0, taps.findIndex((tap) => tap.key === from));
  watcher?.call(value);
  for (; index < taps.length; index += 1) {
    // The index is in range.
    const tap = taps[index] as LiveTap;
    try {
      const returned = callTap(tap, value, caller, watcher);
      value = isPromise(returned) ? ((await returned) as V) : returned;
    } catch (error) {
      if (!caller.failed(tap, error)) {
        watcher?.error(error);
        throw error;
      }
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
  const run = caller.enter(tap);
  const observer = watcher?.tap(tap, value, run);
  const finish = (returned: unknown): V => {
    const accepted = caller.accept(tap, returned, value);
    observer?.done(accepted);
    return accepted;
  };
  const fn = tap.fn as PipelineFn<V>;
  try {
    const returned = tap.info.hook === 'beforeAgent' ? fn(run) : fn(value, run);
    if (isPromise(returned)) {
      return caller.wait(tap, returned).then(finish, (error: unknown) => {
        observer?.done(undefined, error);
        throw error;
      });
    }
    if (tap.wantsPromise) throw badResult(tap, 'no promise', 'one, as it was registered with tapPromise; use tap otherwise');
    return finish(returned);
  } catch (error) {
    observer?.done(undefined, error);
    throw error;
  }
}
