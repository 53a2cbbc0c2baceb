import type { HookName } from '../base/hook-names.ts';
import type { LiveTap } from './live-tap.ts';
import { TapableHook, type CompileOptions } from './tapable-hook.ts';
import { shield, type LiveInterceptor } from './watcher.ts';

/**
 * The base class of the hook kinds: a tapable hook with `LiveTap`s, ordered by stage. `snapshot` returns a chain that
 * later changes do not affect.
 */
export abstract class ShallotHook<Call> extends TapableHook {
  constructor(name: HookName, taps: readonly LiveTap[], interceptors: readonly LiveInterceptor[]) {
    super([], name);
    for (const live of interceptors) this.intercept(shield(live, name));
    for (const tap of taps)
      this.tap({ name: tap.registration.name, stage: tap.stage, live: tap }, tap.registration.fn);
  }

  /** Returns the chain for a fixed list of taps. */
  abstract compile(options: CompileOptions): Call;

  snapshot(): Call {
    return this.compile({ taps: this.taps, interceptors: this.interceptors });
  }
}

/** Returns the taps in the order that tapable gave them. */
export function liveTaps(taps: readonly object[]): LiveTap[] {
  // The constructor of ShallotHook adds `live` to every tap.
  return taps.map((tap) => (tap as { live: LiveTap }).live);
}
