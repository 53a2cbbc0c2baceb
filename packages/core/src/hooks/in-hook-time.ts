import { ShallotError } from '../base/errors.ts';
import { handled } from '../base/handled.ts';
import { inTime } from '../base/in-time.ts';
import type { LiveTap } from './live-tap.ts';
import type { Stretch, Waits } from './waits.ts';

/** A run, as the layers of its hooks know it. */
export interface HookedRun {
  readonly parts: { readonly hookTimeoutMs: number };
  readonly waits: Waits;
  /** What a promise gives, unless an abort comes first. */
  orAbort<T>(promise: Promise<T>): Promise<T>;
}

/** What a function gives that a layer or gate calls, `what` by name: in `hookTimeoutMs` at most; an abort comes first. */
export function inHookTime<T>(
  run: HookedRun,
  tap: LiveTap,
  { what, scope }: { readonly what: string; readonly scope: NonNullable<Stretch['scope']> },
  fn: () => T | Promise<T>,
): Promise<T> {
  const { hookTimeoutMs } = run.parts;
  const { plugin, hook } = tap.info;
  const late = (): ShallotError => {
    return new ShallotError('HOOK_TIMEOUT', {
      message: `"${what}" of ${plugin} (${hook}) did not settle within ${hookTimeoutMs} ms. Make it faster, or raise hookTimeoutMs.`,
      plugin,
      hook,
    });
  };
  const work = handled(run.waits.during({ plugin, scope, what: `"${what}"` }, fn));
  return handled(inTime(run.orAbort(work), hookTimeoutMs, late));
}
