import { combineErrors, isShallotError, ShallotError } from '../../base/errors.ts';
import { inTime } from '../../base/in-time.ts';

/**
 * Waits for the parts of an agent to close within one time limit. Each part gets a share of the time that is left, so
 * that a part that hangs does not keep the others from closing.
 */
export class Closing {
  readonly #ms: number;
  readonly #startedAt = performance.now();
  /** The parts that were still closing when their share ended, by name. */
  readonly #late = new Map<string, Promise<unknown>>();

  constructor(ms: number) {
    this.#ms = ms;
  }

  /**
   * Waits for `part`, which must not reject, for its share of the time left: `parts` is the number of parts still to
   * wait for, including this one. Returns true if it closed in time.
   */
  async wait(name: string, part: Promise<unknown>, parts: number): Promise<boolean> {
    if (await isOver(part, this.#left / parts)) return true;
    this.#late.set(name, part);
    return false;
  }

  /**
   * Waits for the late parts until the time limit. @throws the given failures, and `CLOSE_TIMEOUT` for parts that are
   * still closing; several together as `CLOSE_FAILED`
   */
  async end(agent: string, failures: readonly unknown[]): Promise<void> {
    const names: string[] = [];
    for (const [name, part] of this.#late) {
      if (!(await isOver(part, this.#left))) names.push(name);
    }
    const errors = failures.filter((failure) => isShallotError(failure));
    if (names.length > 0) errors.unshift(this.#timedOut(agent, names));
    const [first, ...others] = errors;
    if (first !== undefined)
      throw combineErrors('The agent could not be closed', [first, ...others], 'CLOSE_FAILED');
    // An error of the application is thrown unchanged.
    if (failures.length > 0) throw failures[0];
  }

  #timedOut(agent: string, names: readonly string[]): ShallotError {
    return new ShallotError('CLOSE_TIMEOUT', {
      message: `The agent ${agent} was not closed within ${this.#ms} ms. Still running: ${names.join(', ')}. Make it end sooner, or raise closeTimeoutMs.`,
    });
  }

  get #left(): number {
    return Math.max(0, this.#ms - (performance.now() - this.#startedAt));
  }
}

async function isOver(part: Promise<unknown>, ms: number): Promise<boolean> {
  const late = new Error('late');
  try {
    await inTime(part, ms, () => late);
    return true;
  } catch (error) {
    if (error !== late) throw error;
    return false;
  }
}
