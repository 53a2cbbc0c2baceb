import type { RunInfo } from '@shallot/core';
import type { PluginSetup, PluginState } from '@shallot/core/plugin';

import type { Bound } from './bounds.ts';

interface Counts {
  readonly used: Readonly<Record<string, number>>;
  /** What a person has granted beyond a bound. */
  readonly more: Readonly<Record<string, number>>;
}

/** The tool calls of a step that have been counted. */
interface CountedCalls {
  readonly step: number;
  readonly callIds: readonly string[];
}

/** What runs and sessions have used, in state: it goes out with whatever is committed next. */
export class Counters {
  readonly #warnAt: number | false;
  readonly #counts: Readonly<Record<Bound['scope'], PluginState<Counts>>>;
  readonly #counted: PluginState<CountedCalls>;

  constructor(state: PluginSetup['state'], warnAt: number | false) {
    this.#warnAt = warnAt;
    const initial = (): Counts => ({ used: {}, more: {} });
    this.#counts = {
      run: state({ key: 'run', scope: 'run', initial }),
      session: state({ key: 'session', scope: 'session', initial }),
    };
    this.#counted = state<CountedCalls>({
      key: 'counted',
      scope: 'run',
      initial: () => ({ step: 0, callIds: [] }),
    });
  }

  /** The first of these bounds that leaves no room. */
  firstReached(run: RunInfo, bounds: readonly Bound[]): Bound | undefined {
    return bounds.find((bound) => this.used(run, bound) >= bound.max + this.granted(run, bound));
  }

  used(run: RunInfo, { scope, counter }: Bound): number {
    return this.#counts[scope].get(run).used[counter] ?? 0;
  }

  granted(run: RunInfo, { scope, counter }: Bound): number {
    return this.#counts[scope].get(run).more[counter] ?? 0;
  }

  add(run: RunInfo, bounds: readonly Bound[], amount: number): void {
    for (const bound of bounds) {
      const before = this.used(run, bound);
      this.#change(run, bound, 'used', before + amount);
      this.#warn(run, bound, before, before + amount);
    }
  }

  grant(run: RunInfo, bound: Bound, more: number): void {
    this.#change(run, bound, 'more', this.granted(run, bound) + more);
  }

  /** Counts a tool call, once: one that is entered again, after an answer or a crash, has been counted. */
  addCall(run: RunInfo, callId: string, bounds: readonly Bound[]): void {
    const { step } = run;
    this.#counted.update(run, (last) => ({
      step,
      callIds: [...(last.step === step ? last.callIds : []), callId],
    }));
    this.add(run, bounds, 1);
  }

  hasCounted(run: RunInfo, callId: string): boolean {
    const { step, callIds } = this.#counted.get(run);
    // Only calls of the step that is going on are entered again.
    return step === run.step && callIds.includes(callId);
  }

  #change(run: RunInfo, { scope, counter }: Bound, what: keyof Counts, value: number): void {
    this.#counts[scope].update(run, (counts) => ({
      ...counts,
      [what]: { ...counts[what], [counter]: value },
    }));
  }

  #warn(run: RunInfo, bound: Bound, before: number, after: number): void {
    if (this.#warnAt === false) return;
    const { scope, max, inWords } = bound;
    const allowed = max + this.granted(run, bound);
    const share = allowed * this.#warnAt;
    if (before >= share || after < share) return;
    run.warn('LIMIT_NEAR', `${inWords(after)} of at most ${inWords(allowed)} for this ${scope} are used.`);
  }
}
