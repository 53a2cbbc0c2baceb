import { messageOf } from '../base/thrown.ts';

/** Counts the lines of a log that could not be written, and has it said once. */
export class LogLosses {
  #count = 0;
  #reason = '';
  #isSaid = false;

  note(error: unknown): void {
    this.#count += 1;
    this.#reason ||= messageOf(error);
  }

  /** What to tell about them; undefined when nothing was lost, and when it was told already. */
  report(): string | undefined {
    if (this.#count === 0 || this.#isSaid) return undefined;
    this.#isSaid = true;
    const lines = this.#count === 1 ? '1 line' : `${this.#count} lines`;
    return `The log could not be written (${this.#reason}): ${lines} so far. More lines may be lost; this is reported once.`;
  }
}
