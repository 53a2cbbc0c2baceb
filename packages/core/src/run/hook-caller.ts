import { ShallotError } from '../base/errors.ts';
import { handled } from '../base/handled.ts';
import type { HookName } from '../base/hook-names.ts';
import { isPromise } from '../base/is-promise.ts';
import type { Run } from '../contract/hooks.ts';
import { InterruptSignal, isInterrupt } from '../contract/interrupt-signal.ts';
import type { HookStanding, RunPosition } from '../contract/store.ts';
import { Frame } from '../hooks/frame.ts';
import type { LiveTap } from '../hooks/live-tap.ts';
import type { PipelineCaller, PipelineCall } from '../hooks/pipeline-call.ts';
import type { PipelineSnapshot } from '../hooks/pipeline-hook.ts';
import type { RunParts } from './run-parts.ts';

/** The behavior of one before or after hook. */
export interface HookSpec<V> {
  readonly hook: HookName;
  /** Returns the next value of the pipeline from a tap's return value. Throws for invalid values. */
  accept(tap: LiveTap, returned: unknown, given: V): V;
  /** Returns the position at which a resume calls the current tap again, with the value that the tap received. */
  readonly locate?: (standing: UnderWay, value: V) => RunPosition;
  /**
   * True if every commit during the hook stores the current tap as the position; otherwise only questions of the tap
   * do.
   */
  readonly follows?: true;
  entered?(tap: LiveTap): void;
  /** Returns true for taps to skip. */
  skips?(tap: LiveTap): boolean;
  /** Schedules a commit of what a crash must not lose, such as a response. Called each time before the run waits for a tap. */
  save?(): void;
  /** Returns the value for the next tap after a tap failed. Set only for `afterAgent`, which calls every tap. */
  failed?(error: unknown, given: V): V;
}

/** The keys of the current tap and of the taps after it. */
export type UnderWay = Required<HookStanding>;

/**
 * Returns the index of the tap at which a resumed hook continues. A stored tap that no longer exists is skipped; if the
 * record does not name the taps after it, the hook starts again.
 */
export function firstTap(taps: readonly LiveTap[], { tap, rest }: HookStanding): number {
  const left = tap === undefined ? rest : [tap, ...(rest ?? [])];
  if (left === undefined) return 0;
  const first = taps.findIndex(({ key }) => left.includes(key));
  if (first !== -1) return first;
  return rest === undefined ? 0 : taps.length;
}

/** Calls a before or after hook. Returns a promise only if a tap returned one. */
export function callHook<V>(
  run: RunParts,
  pipeline: PipelineSnapshot<V>,
  spec: HookSpec<V>,
  value: V,
  first?: number,
): V | Promise<V> {
  if (pipeline.isIdle) return value;
  const caller = new HookCaller(run, spec, pipeline.taps);
  run.life.hook.enter(spec.hook, caller.locate);
  let passed: V | Promise<V>;
  try {
    passed = pipeline.call(value, caller, first);
  } catch (error) {
    run.life.hook.leave();
    throw error;
  }
  // With a promise, the hook is left when it settles.
  if (!isPromise(passed)) run.life.hook.leave();
  return passed;
}

class HookCaller<V> implements PipelineCaller<V> {
  /** Returns the position of the current tap; one function for all taps, made once per hook call. */
  readonly locate: (() => RunPosition) | undefined;
  readonly #run: RunParts;
  readonly #spec: HookSpec<V>;
  readonly #taps: readonly LiveTap[];
  /** The current tap, and the value that it received. */
  #tap: LiveTap | undefined;
  #value: V | undefined;

  constructor(run: RunParts, spec: HookSpec<V>, taps: readonly LiveTap[]) {
    this.#run = run;
    this.#spec = spec;
    this.#taps = taps;
    const { locate } = spec;
    // Only called while a tap is running, so both are set.
    if (locate !== undefined)
      this.locate = () => locate(this.#standingAt(this.#tap as LiveTap), this.#value as V);
  }

  enter(tap: LiveTap, value: V): Run | undefined {
    const spec = this.#spec;
    if (spec.skips?.(tap) === true) return undefined;
    this.#tap = tap;
    this.#value = value;
    spec.entered?.(tap);
    if (this.locate !== undefined && spec.follows === true) this.#run.record.progress.moveTo(this.locate);
    this.#run.life.hook.enterTap();
    return this.#run.plugins.heldFor(tap.owner).enter(tap);
  }

  async wait(call: PipelineCall<V>, first: Promise<unknown>): Promise<V> {
    const run = this.#run;
    const { clock } = run.life.hook;
    try {
      let pending: Promise<unknown> | undefined = first;
      while (pending !== undefined) {
        let frame: Frame | undefined;
        try {
          const entered = this.#enterFrame();
          frame = entered;
          this.#spec.save?.();
          clock.begin(() => entered.close(this.#timedOut()));
          return await entered.wait(call.finish(pending, entered));
        } catch (error) {
          if (frame?.closed === false) throw error;
          // The promise is abandoned here, so a later rejection must not count as unhandled.
          void handled(pending);
          pending = call.giveUp(error);
        } finally {
          clock.end();
          if (frame !== undefined) run.life.leave(frame);
        }
      }
      return call.value;
    } finally {
      run.life.hook.leave();
    }
  }

  /** Returns a frame that an abort closes. `afterAgent` gets its own frame, since it also runs after an abort. */
  #enterFrame(): Frame {
    return this.#spec.failed === undefined ? this.#run.life.enter() : new Frame();
  }

  accept(tap: LiveTap, returned: unknown, given: V): V {
    const open = this.#run.record.questions.open[0];
    // The tap caught its interrupt: raise it again.
    if (open !== undefined && this.#spec.locate !== undefined) throw new InterruptSignal(open);
    return this.#spec.accept(tap, returned, given);
  }

  fail(error: ShallotError): void {
    this.#run.life.fail(error);
  }

  failed(tap: LiveTap, error: unknown, given: V): { readonly value: V } | undefined {
    const run = this.#run;
    run.plugins.abandon(tap.owner, error);
    if (this.#spec.failed !== undefined) {
      run.signs.blames.tap(tap, error);
      return { value: this.#spec.failed(error, given) };
    }
    if (isInterrupt(error) && this.#withdraw()) return { value: given };
    if (error !== run.life.stopped) run.signs.blames.tap(tap, error);
    return undefined;
  }

  /** Withdraws questions once the run is being ended, so that the remaining taps still run. Returns false otherwise. */
  #withdraw(): boolean {
    if (this.#run.record.verdict.ending === undefined) return false;
    this.#run.record.questions.withdraw();
    return true;
  }

  #standingAt(tap: LiveTap): UnderWay {
    const rest = this.#taps.slice(this.#taps.indexOf(tap) + 1);
    return { tap: tap.key, rest: rest.map(({ key }) => key) };
  }

  #timedOut(): ShallotError {
    const { hook } = this.#spec;
    const plugin = this.#tap?.owner.id ?? '';
    return new ShallotError('HOOK_TIMEOUT', {
      message: `${hook} of ${plugin} did not settle within ${this.#run.terms.parts.hookTimeoutMs} ms. Make it faster, or raise hookTimeoutMs.`,
      plugin,
      hook,
    });
  }
}
