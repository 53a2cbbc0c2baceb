import { ShallotError } from '../../base/errors.ts';
import type { Wait } from '../../base/wait.ts';
import { Frame } from '../../hooks/frame.ts';

/** Whether a run still lives, and what is under way in it: stopping it ends all of that at once. */
export class Lifeline {
  /** What is under way is below it. */
  readonly #root = new Frame();
  #stopped: ShallotError | undefined;
  #isStopping = false;
  #isHandedBack = false;
  #isDecided = false;
  #isOver = false;

  /** Set once the run has been stopped from outside its hooks: the error that everything it waits for is rejected with. */
  get stopped(): ShallotError | undefined {
    return this.#stopped;
  }

  /** Set once the run has been aborted. */
  get aborted(): ShallotError | undefined {
    return this.#stopped?.code === 'RUN_ABORTED' ? this.#stopped : undefined;
  }

  /** The run is to end with the step that it is in. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** It ends for another process to continue it. */
  get isHandedBack(): boolean {
    return this.#isHandedBack;
  }

  /** Whether the outcome is known: what goes wrong from then on is noted. */
  get isDecided(): boolean {
    return this.#isDecided;
  }

  /** Whether nothing of the run may touch its session any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get signal(): AbortSignal {
    return this.#root.signal;
  }

  /** Finds whose code is waited for. */
  findWaits(found: (wait: Wait) => void): void {
    this.#root.findWaits(found);
  }

  stop(error: ShallotError): void {
    this.#stopped = error;
    this.#root.close(error);
  }

  stopAfterStep(): void {
    this.#isStopping = true;
  }

  handBack(): void {
    this.#isHandedBack = true;
    this.#isStopping = true;
  }

  decide(): void {
    this.#isDecided = true;
  }

  end(): void {
    this.#isOver = true;
    this.closeFrames(() => new ShallotError('RUN_ENDED', { message: 'The run has ended.' }));
  }

  throwIfStopped(): void {
    if (this.#stopped !== undefined) throw this.#stopped;
  }

  /** A frame for something that an abort cuts short, even if it takes no notice. `leave` it when it has settled. */
  enter(): Frame {
    this.throwIfStopped();
    const frame = new Frame();
    this.#root.adopt(frame, true);
    return frame;
  }

  leave(frame: Frame): void {
    this.#root.release(frame);
  }

  /** What a promise gives, unless an abort comes first. */
  async orAbort<T>(promise: Promise<T>): Promise<T> {
    const frame = this.enter();
    try {
      return await frame.wait(promise);
    } finally {
      this.leave(frame);
    }
  }

  /** Ends what is under way: it is rejected with this reason, which is made only if there is anything. */
  closeFrames(reasonOf: () => unknown): void {
    if (this.#root.isBusyInside) this.#root.closeInner(reasonOf());
  }
}
