export interface CircuitSettings {
  readonly failures: number;
  readonly openMs: number;
}

/** A circuit breaker: blocks calls after repeated failures, and later lets one call through as a trial. */
export class Circuit {
  readonly #settings: CircuitSettings;
  #failures = 0;
  #openUntil: number | undefined;
  #isTrying = false;

  constructor(settings: CircuitSettings) {
    this.#settings = settings;
  }

  get isOpen(): boolean {
    return this.#openUntil !== undefined;
  }

  /** Admits a call, or returns the time until which calls are refused. Follow an admitted call with `note` or `leave`. */
  enter(now: number): number | undefined {
    if (this.#openUntil === undefined) return undefined;
    if (now < this.#openUntil) return this.#openUntil;
    // While one call is tried, the others wait as long as it may take to fail again.
    if (this.#isTrying) return now + this.#settings.openMs;
    this.#isTrying = true;
    return undefined;
  }

  /** Notes the outcome of a call. Returns undefined unless this opens or closes the circuit. */
  note(isWell: boolean, now: number): 'opened' | 'closed' | undefined {
    const wasOpen = this.#openUntil !== undefined;
    this.#isTrying = false;
    if (isWell) {
      this.#failures = 0;
      this.#openUntil = undefined;
      return wasOpen ? 'closed' : undefined;
    }
    this.#failures += 1;
    if (this.#failures < this.#settings.failures) return undefined;
    this.#openUntil = now + this.#settings.openMs;
    return wasOpen ? undefined : 'opened';
  }

  /** Ends a call without an outcome, because it was aborted or interrupted. */
  leave(): void {
    this.#isTrying = false;
  }
}
