import type { LiveTap } from './live-tap.ts';
import { PipelinePassage, type PipelineCaller } from './pipeline-passage.ts';
import { liveTaps, ShallotHook } from './shallot-hook.ts';
import type { CompileOptions } from './tapable-hook.ts';
import { watchOf } from './watcher.ts';

/**
 * Calls the taps in order, from a given one on: `from` is the key of one of them. Gives a promise only if one of them did.
 */
export type Pipeline<V> = (value: V, caller: PipelineCaller<V>, from?: string) => V | Promise<V>;

export interface PipelineSnapshot<V> {
  readonly taps: readonly LiveTap[];
  /** Whether no interceptor listens. */
  readonly quiet: boolean;
  readonly call: Pipeline<V>;
}

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
      call: (value, caller, from) => {
        const first = from === undefined ? 0 : ordered.findIndex((tap) => tap.key === from);
        const passage = new PipelinePassage(ordered, watch?.(caller), value, caller, first);
        const pending = passage.start();
        return pending === undefined ? passage.value : caller.wait(passage, pending);
      },
    };
  }
}
