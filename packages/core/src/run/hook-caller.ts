import { ShallotError } from '../base/errors.ts';
import { handled } from '../base/handled.ts';
import type { HookName } from '../base/hook-names.ts';
import { isPromise } from '../base/is-promise.ts';
import type { Run } from '../contract/hooks.ts';
import { InterruptSignal, isInterrupt } from '../contract/interrupt-signal.ts';
import type { RunPosition } from '../contract/store.ts';
import { Frame } from '../hooks/frame.ts';
import type { LiveTap } from '../hooks/live-tap.ts';
import type { PipelineSnapshot } from '../hooks/pipeline-hook.ts';
import type { PipelineCaller, PipelinePassage } from '../hooks/pipeline-passage.ts';
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
  /** Called before the hook waits for a tap: what must not be lost if the process dies meanwhile. */
  save?(): void;
  /** Set by `afterAgent`, which runs to its end whatever happens: what the taps after a failure are given. */
  failed?(error: unknown, given: V): V;
}

/** Calls a before or after hook for a run; at no cost if nobody has tapped it. Gives a promise only if a tap did. */
export function callHook<V>(
  run: ActiveRun,
  pipeline: PipelineSnapshot<V>,
  spec: HookSpec<V>,
  value: V,
  from?: string,
): V | Promise<V> {
  if (isIdle(pipeline)) return value;
  const caller = new HookCaller(run, spec);
  run.current.enter(spec.hook, spec.locate === undefined ? undefined : () => caller.locate());
  let passed: V | Promise<V>;
  try {
    passed = pipeline.call(value, caller, from);
  } catch (error) {
    run.current.leave();
    throw error;
  }
  // Otherwise the hook is left when its last tap is through.
  if (!isPromise(passed)) run.current.leave();
  return passed;
}

/** Whether nobody has tapped or intercepted a hook. */
export function isIdle(pipeline: { readonly taps: readonly LiveTap[]; readonly quiet: boolean }): boolean {
  return pipeline.taps.length === 0 && pipeline.quiet;
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
  }

  enter(tap: LiveTap, value: V): Run | undefined {
    const spec = this.#spec;
    if (spec.skips?.(tap) === true) return undefined;
    this.#tap = tap;
    this.#value = value;
    spec.entered?.(tap);
    this.#run.current.enterTap();
    const view = RunView.of(this.#run, tap.owner);
    view.enter(tap);
    return view;
  }

  async wait(passage: PipelinePassage<V>, first: Promise<unknown>): Promise<V> {
    const run = this.#run;
    const { clock } = run.current;
    try {
      let pending: Promise<unknown> | undefined = first;
      while (pending !== undefined) {
        let frame: Frame | undefined;
        try {
          const entered = this.#enterFrame();
          frame = entered;
          this.#spec.save?.();
          clock.begin(() => entered.close(this.#timedOut()));
          return await entered.wait(passage.finish(pending, entered));
        } catch (error) {
          if (frame?.closed === false) throw error;
          // It may reject when nobody waits for it any more.
          void handled(pending);
          pending = passage.giveUp(error);
        } finally {
          clock.end();
          if (frame !== undefined) run.life.leave(frame);
        }
      }
      return passage.value;
    } finally {
      run.current.leave();
    }
  }

  /** `afterAgent` runs to its end, also after an abort. */
  #enterFrame(): Frame {
    return this.#spec.failed === undefined ? this.#run.life.enter() : new Frame();
  }

  accept(tap: LiveTap, returned: unknown, given: V): V {
    const open = this.#run.questions.open[0];
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
    if (error !== run.life.stopped) run.blames.tap(tap, error);
    return undefined;
  }

  /** A question in a run that is being ended is not asked: the taps after it still run. */
  #withdraw(): boolean {
    if (this.#run.verdict.ending === undefined) return false;
    this.#run.questions.withdraw();
    return true;
  }

  /** Where the run would go on with the tap that is under way. */
  locate(): RunPosition | undefined {
    if (this.#tap === undefined) return undefined;
    // A tap was entered, so its value is there.
    return this.#spec.locate?.(this.#tap, this.#value as V);
  }

  #timedOut(): ShallotError {
    const { hook } = this.#spec;
    const plugin = this.#tap?.owner.id ?? '';
    return new ShallotError('HOOK_TIMEOUT', {
      message: `${hook} of ${plugin} did not settle within ${this.#run.parts.hookTimeoutMs} ms. Make it faster, or raise hookTimeoutMs.`,
      plugin,
      hook,
    });
  }
}
