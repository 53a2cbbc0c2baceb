import { ShallotError } from '../base/errors.ts';
import { handled } from '../base/handled.ts';
import { inTime } from '../base/in-time.ts';
import type { LiveTap } from './live-tap.ts';
import type { Stretch, Stretches } from './stretches.ts';

/** The parts of a run that hooks need. */
export interface HookedRun {
  readonly terms: { readonly parts: { readonly hookTimeoutMs: number } };
  readonly signs: { readonly stretches: Stretches };
  readonly life: {
    /** Returns the promise's result; rejects on an abort. */
    orAbort<T>(promise: Promise<T>): Promise<T>;
  };
}

/**
 * Calls a function on behalf of a layer or gate, and limits it to `hookTimeoutMs`; `what` names it in errors. Rejects
 * on an abort.
 */
export function inHookTime<T>(
  run: HookedRun,
  tap: LiveTap,
  { what, scope }: { readonly what: string; readonly scope: NonNullable<Stretch['scope']> },
  fn: () => T | Promise<T>,
): Promise<T> {
  const { hookTimeoutMs } = run.terms.parts;
  const { plugin, hook } = tap.info;
  const late = (): ShallotError => {
    return new ShallotError('HOOK_TIMEOUT', {
      message: `"${what}" of ${plugin} (${hook}) did not settle within ${hookTimeoutMs} ms. Make it faster, or raise hookTimeoutMs.`,
      plugin,
      hook,
    });
  };
  const work = handled(run.signs.stretches.during({ plugin, scope, what: `"${what}"` }, fn));
  return handled(inTime(run.life.orAbort(work), hookTimeoutMs, late));
}
