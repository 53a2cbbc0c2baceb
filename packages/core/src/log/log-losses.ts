import { messageOf } from '../base/thrown.ts';

/** Counts log lines that could not be written, and reports them once. */
export class LogLosses {
  #count = 0;
  #reason = '';
  #isSaid = false;

  note(error: unknown): void {
    this.#count += 1;
    this.#reason ||= messageOf(error);
  }

  /** Returns the report; undefined if nothing was lost or it was already reported. */
  report(): string | undefined {
    if (this.#count === 0 || this.#isSaid) return undefined;
    this.#isSaid = true;
    const lines = this.#count === 1 ? '1 line' : `${this.#count} lines`;
    return `The log could not be written (${this.#reason}): ${lines} so far. More lines may be lost; this is reported once.`;
  }
}
