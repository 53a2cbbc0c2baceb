import type { DutyTaken } from '../../contract/store.ts';

interface Asked {
  readonly firstAt: number;
  askedAt: number;
  takenAt: number;
}

/** The duties in a store that only this process uses. */
export class DutyList {
  readonly #duties = new Map<string, Map<string, Asked>>();

  take(duty: string, terms: string, periodMs: number): DutyTaken {
    const now = Date.now();
    const all = this.#duties.get(duty) ?? new Map<string, Asked>();
    this.#duties.set(duty, all);
    for (const [each, { askedAt }] of all) if (askedAt < now - 2 * periodMs) all.delete(each);
    const own = all.get(terms) ?? { firstAt: now, askedAt: now, takenAt: -Infinity };
    all.set(terms, own);
    own.askedAt = now;
    const isFree = Array.from(all.values()).every(({ takenAt }) => takenAt <= now - periodMs);
    const isTaken = isFree && own.firstAt <= now - periodMs / 24;
    if (isTaken) own.takenAt = now;
    return { isTaken, terms: [...all.keys()].toSorted() };
  }
}
