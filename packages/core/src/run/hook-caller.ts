import { ShallotError } from '../base/errors.ts';
import type { HookName } from '../base/hook-names.ts';
import type { Run } from '../contract/hooks.ts';
import { InterruptSignal, isInterrupt } from '../contract/interrupt-signal.ts';
import type { RunPosition } from '../contract/store.ts';
import { Frame } from '../hooks/frame.ts';
import type { LiveTap } from '../hooks/live-tap.ts';
import type { PipelineCaller, PipelineSnapshot } from '../hooks/pipeline-hook.ts';
import type { ActiveRun } from './active-run.ts';
import { RunView } from './run-view.ts';

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
  /** Called before a tap's promise is awaited: what must not be lost if the process dies while it is. */
  save?(): Promise<void>;
  /** Set by `afterAgent`, which runs to its end whatever happens: what the taps after a failure are given. */
  failed?(error: unknown, given: V): V;
}

/** Calls a before or after hook for a run; at no cost if nobody has tapped it. */
export function callHook<V>(
  run: ActiveRun,
  pipeline: PipelineSnapshot<V>,
  spec: HookSpec<V>,
  value: V,
  from?: string,
): V | Promise<V> {
  return isIdle(pipeline) ? value : callTaps(run, pipeline, spec, value, from);
}

/** Whether nobody has tapped or intercepted a hook. */
export function isIdle(pipeline: { readonly taps: readonly LiveTap[]; readonly quiet: boolean }): boolean {
  return pipeline.taps.length === 0 && pipeline.quiet;
}

async function callTaps<V>(
  run: ActiveRun,
  pipeline: PipelineSnapshot<V>,
  spec: HookSpec<V>,
  value: V,
  from: string | undefined,
): Promise<V> {
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
  /** The tap that is under way, and what it was given. */
  #tap: LiveTap | undefined;
  #value: V | undefined;

  constructor(run: ActiveRun, spec: HookSpec<V>) {
    this.#run = run;
    this.#spec = spec;
    if (spec.locate !== undefined) run.locate = () => this.#locate();
  }

  enter(tap: LiveTap, value: V): Run | undefined {
    const spec = this.#spec;
    if (spec.skips?.(tap) === true) return undefined;
    this.#tap = tap;
    this.#value = value;
    spec.entered?.(tap);
    this.#run.enterHook();
    const view = RunView.of(this.#run, tap.owner);
    view.enter(tap);
    return view;
  }

  async wait(tap: LiveTap, promise: Promise<unknown>): Promise<unknown> {
    const run = this.#run;
    // Whatever it loses against, a time-out or an abort: it may reject when nobody waits for it any more.
    promise.then(undefined, () => undefined);
    // `afterAgent` runs to its end, also after an abort.
    const frame = this.#spec.failed === undefined ? run.enter() : new Frame();
    try {
      await this.#spec.save?.();
      run.clock.begin(() => frame.close(this.#timedOut(tap)));
      return await frame.wait(promise);
    } finally {
      run.clock.end();
      run.leave(frame);
    }
  }

  accept(tap: LiveTap, returned: unknown, given: V): V {
    const [open] = this.#run.questions.open;
    // A tap that swallowed its interrupt: raised again.
    if (open !== undefined && this.#spec.locate !== undefined) throw new InterruptSignal(open);
    return this.#spec.accept(tap, returned, given);
  }

  fail(error: ShallotError): void {
    this.#run.fail(error);
  }

  failed(tap: LiveTap, error: unknown, given: V): { readonly value: V } | undefined {
    const run = this.#run;
    if (this.#spec.failed !== undefined) {
      run.blames.tap(tap, error);
      return { value: this.#spec.failed(error, given) };
    }
    if (isInterrupt(error) && this.#withdraw()) return { value: given };
    if (error !== run.stopped) run.blames.tap(tap, error);
    return undefined;
  }

  /** A question in a run that is being ended is not asked: the taps after it still run. */
  #withdraw(): boolean {
    if (this.#run.ending === undefined) return false;
    this.#run.questions.withdraw();
    return true;
  }

  #locate(): RunPosition | undefined {
    if (this.#tap === undefined) return undefined;
    // A tap was entered, so its value is there.
    return this.#spec.locate?.(this.#tap, this.#value as V);
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
