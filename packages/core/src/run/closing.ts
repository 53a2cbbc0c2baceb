import { combineErrors, isShallotError, ShallotError } from '../base/errors.ts';
import { inTime } from '../base/in-time.ts';

/**
 * The parts of a close, which share its time: each is waited for no longer than its share of what is left, so that one
 * that hangs does not keep the others from being closed, too.
 */
export class Closing {
  readonly #ms: number;
  readonly #startedAt = performance.now();
  /** By name, what was not over when its share was used up. */
  readonly #late = new Map<string, Promise<unknown>>();

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Waits for a part that will not reject. `parts` counts it, and those that come after it. Whether it is over. */
  async wait(name: string, part: Promise<unknown>, parts: number): Promise<boolean> {
    if (await isOver(part, this.#left / parts)) return true;
    this.#late.set(name, part);
    return false;
  }

  /** Waits until all is over, or the time. @throws what went wrong, and `CLOSE_TIMEOUT` for what is not over */
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
    // An error of the application's own is passed on as it is.
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
