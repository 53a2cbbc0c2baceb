import type { ActiveRun } from './active-run.ts';
import { ShallotError } from './errors.ts';
import { Frame } from './frame.ts';
import { HookClock } from './hook-clock.ts';
import type { HookName, Run } from './hooks.ts';
import { InterruptSignal, isInterrupt } from './interrupt-signal.ts';
import type { LiveTap } from './live-tap.ts';
import type { PipelineCaller, PipelineSnapshot } from './pipeline-hook.ts';
import type { RunPosition } from './store.ts';

/** What differs between the before and after hooks. */
export interface HookSpec<V> {
  readonly hook: HookName;
  /** Makes the next value of what a tap returned. Throws for junk. */
  accept(tap: LiveTap, returned: unknown, given: V): V;
  /** Where the run goes on when a tap is interrupted. */
  locate?(tap: LiveTap, value: V): RunPosition;
  entered?(tap: LiveTap): void;
  /** Taps that are passed over. */
  skips?(tap: LiveTap): boolean;
  /** Set by `afterAgent`, which runs to its end whatever happens: what becomes of a tap's failure. */
  failed?(tap: LiveTap, error: unknown): void;
}

/** Calls a before or after hook for a run. */
export async function callHook<V>(
  run: ActiveRun,
  pipeline: PipelineSnapshot<V>,
  spec: HookSpec<V>,
  value: V,
  from?: string,
): Promise<V> {
  if (pipeline.taps.length === 0 && pipeline.quiet) return value;
  run.hook = spec.hook;
  try {
    return await pipeline.call(value, new HookCaller(run, spec), from);
  } finally {
    run.hook = undefined;
    run.locate = undefined;
  }
}

class HookCaller<V> implements PipelineCaller<V> {
  readonly #run: ActiveRun;
  readonly #spec: HookSpec<V>;

  constructor(run: ActiveRun, spec: HookSpec<V>) {
    this.#run = run;
    this.#spec = spec;
  }

  enter(tap: LiveTap, value: V): Run | undefined {
    const run = this.#run;
    if (this.#spec.skips?.(tap) === true) return undefined;
    const { locate } = this.#spec;
    if (locate !== undefined) run.locate = () => locate(tap, value);
    this.#spec.entered?.(tap);
    const view = run.viewFor(tap.owner);
    view.enter(tap.key);
    return view;
  }

  async wait(tap: LiveTap, promise: Promise<unknown>): Promise<unknown> {
    const run = this.#run;
    const work = (frame: Frame): Promise<unknown> => {
      run.clock = new HookClock(run.parts.hookTimeoutMs, () => frame.close(this.#timedOut(tap)));
      return promise;
    };
    const cutByAbort = this.#spec.failed === undefined;
    try {
      if (cutByAbort) return await run.inFrame(work);
      const frame = new Frame();
      return await frame.wait(work(frame));
    } finally {
      run.clock?.stop();
      run.clock = undefined;
      // What lost the race against a time-out or an abort has nobody to report to.
      promise.then(undefined, () => undefined);
    }
  }

  accept(tap: LiveTap, returned: unknown, given: V): V {
    const open = this.#run.interrupts.at(-1);
    // A tap that swallowed its interrupt: raised again.
    if (open !== undefined && this.#spec.locate !== undefined) throw new InterruptSignal(open);
    return this.#spec.accept(tap, returned, given);
  }

  failed(tap: LiveTap, error: unknown): boolean {
    const run = this.#run;
    if (this.#spec.failed !== undefined) {
      run.blame(tap, error);
      this.#spec.failed(tap, error);
      return true;
    }
    if (isInterrupt(error)) return this.#withdraw();
    if (error !== run.aborted) run.blame(tap, error);
    return false;
  }

  /** A question in a run that is being ended is not asked: the taps after it still run. */
  #withdraw(): boolean {
    if (this.#run.ending === undefined) return false;
    this.#run.interrupts = [];
    return true;
  }

  #timedOut(tap: LiveTap): ShallotError {
    const { plugin, hook } = tap.info;
    return new ShallotError('HOOK_TIMEOUT', {
      message: `${hook} of ${plugin} did not settle within ${this.#run.parts.hookTimeoutMs} ms. Let it settle, or raise hookTimeoutMs.`,
      plugin,
      hook,
    });
  }
}
