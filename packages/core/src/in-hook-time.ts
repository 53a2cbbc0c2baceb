import type { ActiveRun } from './active-run.ts';
import { ShallotError } from './errors.ts';
import { handled } from './handled.ts';
import { inTime } from './in-time.ts';
import type { LiveTap } from './live-tap.ts';

/** What a function gives that a layer or gate calls, `what` by name: in `hookTimeoutMs` at most; an abort comes first. */
export function inHookTime<T>(
  run: ActiveRun,
  tap: LiveTap,
  what: string,
  fn: () => T | Promise<T>,
): Promise<T> {
  const { hookTimeoutMs } = run.parts;
  const work = async (): Promise<T> => fn();
  const late = (): ShallotError => {
    const { plugin, hook } = tap.info;
    return new ShallotError('HOOK_TIMEOUT', {
      message: `"${what}" of ${plugin} (${hook}) did not settle within ${hookTimeoutMs} ms. Let it settle, or raise hookTimeoutMs.`,
      plugin,
      hook,
    });
  };
  return handled(inTime(run.orAbort(work()), hookTimeoutMs, late));
}
