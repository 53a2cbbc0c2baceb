import type { HookName } from '../base/hook-names.ts';
import type { LiveTap } from './live-tap.ts';
import { TapableHook, type CompileOptions } from './tapable-hook.ts';
import { shield, type LiveInterceptor } from './watcher.ts';

/**
 * The base of our hook kinds: a tapable hook whose taps are `LiveTap`s, inserted by stage. `snapshot` gives a run a chain
 * of its own, which later changes do not touch.
 */
export abstract class ShallotHook<Call> extends TapableHook {
  constructor(name: HookName, taps: readonly LiveTap[], interceptors: readonly LiveInterceptor[]) {
    super([], name);
    for (const live of interceptors) this.intercept(shield(live, name));
    for (const tap of taps)
      this.tap({ name: tap.registration.name, stage: tap.stage, live: tap }, tap.registration.fn);
  }

  /** Makes the calls of a fixed list of taps. */
  abstract compile(options: CompileOptions): Call;

  snapshot(): Call {
    return this.compile({ taps: this.taps, interceptors: this.interceptors });
  }
}

/** The taps that tapable has put in order. */
export function liveTaps(taps: readonly object[]): LiveTap[] {
  // Every tap of a ShallotHook was inserted by its constructor, with `live`.
  return taps.map((tap) => (tap as { live: LiveTap }).live);
}
