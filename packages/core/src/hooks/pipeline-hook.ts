import type { LiveTap } from './live-tap.ts';
import { PipelineCall, type PipelineCaller } from './pipeline-call.ts';
import { liveTaps, ShallotHook } from './shallot-hook.ts';
import type { CompileOptions } from './tapable-hook.ts';
import { watchOf } from './watcher.ts';

/** Calls the taps in order, starting at index `first`. Returns a promise only if a tap did. */
export type Pipeline<V> = (value: V, caller: PipelineCaller<V>, first?: number) => V | Promise<V>;

export interface PipelineSnapshot<V> {
  readonly taps: readonly LiveTap[];
  /** True without taps and interceptors. */
  readonly isIdle: boolean;
  readonly call: Pipeline<V>;
}

/**
 * The hook kind of the before and after hooks: each tap gets the value that the previous tap returned; undefined keeps
 * the value. `beforeAgent` taps get only the run.
 */
export class PipelineHook<V> extends ShallotHook<PipelineSnapshot<V>> {
  override compile({ taps, interceptors }: CompileOptions): PipelineSnapshot<V> {
    const ordered = liveTaps(taps);
    const watch = watchOf(interceptors);
    return {
      taps: ordered,
      isIdle: ordered.length === 0 && watch === undefined,
      call: (value, caller, first = 0) => {
        const call = new PipelineCall(ordered, watch?.(caller), value, caller, first);
        const pending = call.start();
        return pending === undefined ? call.value : caller.wait(call, pending);
      },
    };
  }
}
