/** The longest pause after a refusal, in milliseconds. */
const longestPauseMs = 600_000;

/** The time for which a session that others work on is passed over, in milliseconds. */
const shortPauseMs = 1000;

interface Pause {
  readonly since: number;
  /** Not before this time, in milliseconds since 1970. */
  readonly until: number;
  /** The number of times in a row that the store has refused it. */
  readonly refusals: number;
  /** For a session that is left to others: its revision when it was read, if it could be read. */
  readonly revision?: number;
}

/**
 * Remembers the sessions that a worker does not take for now. This is not stored, because it depends on this worker and
 * its store, not on the runs.
 */
export class PassedOver {
  readonly #firstPauseMs: number;
  readonly #surveyMs: number;
  #surveyedAt = performance.now();
  readonly #sessions = new Map<string, Pause>();

  /** `surveyMs` is the time between two checks of which of these sessions still wait. */
  constructor(firstPauseMs: number, surveyMs: number) {
    this.#firstPauseMs = firstPauseMs;
    this.#surveyMs = surveyMs;
  }

  /** True if it is time to check which of these sessions still wait. */
  get isSurveyDue(): boolean {
    return this.#sessions.size > 0 && performance.now() - this.#surveyedAt >= this.#surveyMs;
  }

  /**
   * Passes over a session that the store refused; each pause is twice as long as the one before, unless the store only
   * failed for a while: this says nothing about the session. Returns true for the first refusal.
   */
  refused(sessionId: string, isTransient = false): boolean {
    const { refusals = 0, since = Date.now() } = this.#sessions.get(sessionId) ?? {};
    const pauseMs = Math.min(this.#firstPauseMs * 2 ** (isTransient ? 0 : refusals), longestPauseMs);
    this.#sessions.set(sessionId, { since, until: Date.now() + pauseMs, refusals: refusals + 1 });
    return refusals === 0;
  }

  /** Passes over a session that others work on. */
  taken(sessionId: string): void {
    this.#sessions.set(sessionId, { since: Date.now(), until: Date.now() + shortPauseMs, refusals: 0 });
  }

  /**
   * Leaves a session to others for as long as it waits at this revision. Returns true the first time.
   */
  left(sessionId: string, revision: number | undefined): boolean {
    if (this.#sessions.get(sessionId)?.until === Infinity) return false;
    const known = revision === undefined ? {} : { revision };
    this.#sessions.set(sessionId, { since: Date.now(), until: Infinity, refusals: 0, ...known });
    return true;
  }

  /** Returns the time until which the store's refusal counts, in milliseconds since 1970; undefined if none counts. */
  refusedUntil(sessionId: string): number | undefined {
    const pause = this.#sessions.get(sessionId);
    return pause !== undefined && pause.refusals > 0 && pause.until > Date.now() ? pause.until : undefined;
  }

  /** Returns true while a session is passed over. */
  has(sessionId: string): boolean {
    return (this.#sessions.get(sessionId)?.until ?? 0) > Date.now();
  }

  /** The sessions that are passed over. */
  get ids(): string[] {
    return [...this.#sessions.keys()].filter((id) => this.has(id));
  }

  /** Returns the sessions that were left to others for longer than this, in milliseconds. */
  leftFor(ms: number): string[] {
    const before = Date.now() - ms;
    return Array.from(this.#sessions).flatMap(([id, { until, since }]) =>
      until === Infinity && since <= before ? [id] : [],
    );
  }

  forget(sessionId: string): void {
    this.#sessions.delete(sessionId);
  }

  /**
   * Forgets all sessions except those that still wait, or wait again later: the record of a failed attempt also has a
   * pause. `waiting` has their revisions as far as they are known. A session that was left to others and has changed is
   * forgotten, because it may have another run.
   */
  keep(waiting: ReadonlyMap<string, number | undefined>): void {
    this.#surveyedAt = performance.now();
    for (const [id, { until, revision }] of this.#sessions) {
      const isPaused = until !== Infinity && until > Date.now();
      const hasChanged = revision !== undefined && waiting.get(id) !== revision;
      if ((!waiting.has(id) || hasChanged) && !isPaused) this.#sessions.delete(id);
    }
  }
}
