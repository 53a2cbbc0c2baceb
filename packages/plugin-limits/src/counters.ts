import type { RunInfo } from '@shallot/core';
import type { PluginSetup, PluginState } from '@shallot/core/plugin';

import type { Bound } from './bounds.ts';

/** The counters of a session. */
interface SessionCounts extends Counts {
  /** Warnings that were reported once in this session. */
  readonly told?: readonly string[];
}

interface Counts {
  readonly used: Readonly<Record<string, number>>;
  /** Amounts that a person granted beyond a bound. */
  readonly more: Readonly<Record<string, number>>;
}

/** The counted tool calls of the current step of a run. */
interface CountedCalls {
  readonly step: number;
  readonly callIds: readonly string[];
}

/**
 * Counts the use of runs and sessions in plugin state, which the next commit stores. Child runs count with their
 * root. The ids of counted calls are kept for each run, because they are unique only within a session.
 */
export class Counters {
  readonly #warnAt: number | false;
  readonly #run: PluginState<Counts>;
  readonly #calls: PluginState<CountedCalls>;
  readonly #session: PluginState<SessionCounts>;

  constructor(state: PluginSetup['state'], warnAt: number | false) {
    this.#warnAt = warnAt;
    const initial = (): Counts => ({ used: {}, more: {} });
    this.#run = state<Counts>({ key: 'run', scope: 'run', tree: true, initial });
    this.#session = state<SessionCounts>({ key: 'session', scope: 'session', tree: true, initial });
    this.#calls = state<CountedCalls>({
      key: 'calls',
      scope: 'run',
      initial: () => ({ step: 0, callIds: [] }),
    });
  }

  /** Returns the first of these bounds that is reached; undefined if none is. */
  firstReached(run: RunInfo, bounds: readonly Bound[]): Bound | undefined {
    const known: Partial<Record<Bound['scope'], Counts>> = {};
    return bounds.find((bound) => {
      const counts = (known[bound.scope] ??= this.#countsOf(run, bound.scope));
      return usedOf(bound, counts) >= bound.max + grantedOf(bound, counts);
    });
  }

  used(run: RunInfo, bound: Bound): number {
    return usedOf(bound, this.#countsOf(run, bound.scope));
  }

  granted(run: RunInfo, bound: Bound): number {
    return grantedOf(bound, this.#countsOf(run, bound.scope));
  }

  add(run: RunInfo, bounds: readonly Bound[], amount: number): void {
    this.#add(run, bounds, amount);
  }

  grant(run: RunInfo, { scope, counter }: Bound, more: number): void {
    const counts = this.#countsOf(run, scope);
    const granted = (counts.more[counter] ?? 0) + more;
    this.#set(run, scope, { ...counts, more: { ...counts.more, [counter]: granted } });
  }

  /** Returns the amount that the strictest of these bounds leaves; `Infinity` without any. */
  left(run: RunInfo, bounds: readonly Bound[]): number {
    return Math.min(...bounds.map((bound) => bound.max + this.granted(run, bound) - this.used(run, bound)));
  }

  /**
   * Counts a tool call and keeps its id, by which `hasCounted` knows it if it is entered again after an answer or a crash.
   */
  addCall(run: RunInfo, callId: string, bounds: readonly Bound[]): void {
    const { step } = run;
    const last = this.#calls.get(run);
    const before = last.step === step ? last.callIds : [];
    this.#calls.set(run, { step, callIds: [...before, callId] });
    this.#add(run, bounds, 1);
  }

  hasCounted(run: RunInfo, callId: string): boolean {
    const { step, callIds } = this.#calls.get(run);
    // Only calls of the current step can be entered again.
    return step === run.step && callIds.includes(callId);
  }

  /** Reports a warning once per session. */
  tellOnce(run: RunInfo, code: string, message: string): void {
    const counts = this.#session.get(run);
    const { told = [] } = counts;
    if (told.includes(code)) return;
    this.#session.set(run, { ...counts, told: [...told, code] });
    run.warn(code, message);
  }

  /** Updates each scope once, because every state update costs time. */
  #add(run: RunInfo, bounds: readonly Bound[], amount: number): void {
    for (const scope of ['run', 'session'] as const) {
      const inScope = bounds.filter((bound) => bound.scope === scope);
      if (inScope.length === 0) continue;
      const counts = this.#countsOf(run, scope);
      const used: Record<string, number> = { ...counts.used };
      for (const { counter } of inScope) used[counter] = (used[counter] ?? 0) + amount;
      this.#set(run, scope, { ...counts, used });
      for (const bound of inScope) this.#warn(run, bound, counts, used[bound.counter] ?? 0);
    }
  }

  #countsOf(run: RunInfo, scope: Bound['scope']): Counts {
    return scope === 'run' ? this.#run.get(run) : this.#session.get(run);
  }

  #set(run: RunInfo, scope: Bound['scope'], counts: Counts): void {
    if (scope === 'run') this.#run.set(run, counts);
    else this.#session.set(run, counts);
  }

  #warn(run: RunInfo, bound: Bound, before: Counts, after: number): void {
    if (this.#warnAt === false) return;
    const { scope, max, inWords } = bound;
    const allowed = max + grantedOf(bound, before);
    const share = allowed * this.#warnAt;
    if (usedOf(bound, before) >= share || after < share) return;
    run.warn('LIMIT_NEAR', `${inWords(after)} of at most ${inWords(allowed)} for this ${scope} are used.`);
  }
}

function usedOf({ counter }: Bound, { used }: Counts): number {
  return used[counter] ?? 0;
}

function grantedOf({ counter }: Bound, { more }: Counts): number {
  return more[counter] ?? 0;
}
