import { isShallotError, ShallotError } from '../../base/errors.ts';
import { messageOf } from '../../base/thrown.ts';
import type { Wait } from '../../base/wait.ts';
import { Frame } from '../../hooks/frame.ts';
import { ring, type Bell } from './bell.ts';
import { CurrentHook } from './current-hook.ts';
import type { HookTimes } from './hook-clock.ts';

/** The part of a session that an aborted run needs. */
interface LeftSession {
  /** Rejects everything that waits for the store. */
  letGo(reason: unknown): void;
  /** Rejects everything that waits for the store, unless the store settles soon. */
  hurry(reason: unknown): void;
}

/** The part of `Signs` that an ending run needs. */
interface LastSigns {
  report(error: ShallotError): void;
  forgetWaits(): void;
  end(): void;
}

/**
 * The life cycle of a run: its abort, its end, and the frames of everything in progress, which a stop closes at once.
 */
export class Lifeline {
  /** Rings when something was sent to the run. */
  readonly bell: Bell = { isRung: false, attendant: undefined };
  /** The parent of all other frames. */
  readonly #root = new Frame();
  readonly #hookTimes: HookTimes;
  readonly #session: LeftSession;
  readonly #signs: LastSigns;
  /** Created on first access. */
  #hook: CurrentHook | undefined;
  #stopped: ShallotError | undefined;
  #isStopping = false;
  #isHandedBack = false;
  #isDecided = false;
  #isOver = false;

  constructor(hookTimes: HookTimes, session: LeftSession, signs: LastSigns) {
    this.#hookTimes = hookTimes;
    this.#session = session;
    this.#signs = signs;
  }

  /** The before or after hook that the run is in. */
  get hook(): CurrentHook {
    this.#hook ??= new CurrentHook(this.#hookTimes, this.#stopped !== undefined);
    return this.#hook;
  }

  /**
   * The error of a run that was aborted or failed from outside its hooks. Everything that the run waits for rejects
   * with it.
   */
  get stopped(): ShallotError | undefined {
    return this.#stopped;
  }

  /** The error of an aborted run. */
  get aborted(): ShallotError | undefined {
    return this.#stopped?.code === 'RUN_ABORTED' ? this.#stopped : undefined;
  }

  /** True if the run is to end after the current step. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** True if the run ends so that another process can continue it. */
  get isHandedBack(): boolean {
    return this.#isHandedBack;
  }

  /** True once the outcome is known; later errors are only added to the result. */
  get isDecided(): boolean {
    return this.#isDecided;
  }

  /** True from the commit of the end on: nothing else of the run may write to the session. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get signal(): AbortSignal {
    return this.#root.signal;
  }

  /** Calls `found` for everything in progress that the run waits for. */
  findWaits(found: (wait: Wait) => void): void {
    this.#root.findWaits(found);
  }

  /** Aborts the run: everything it waits for rejects at once. An uncaught error as the reason fails the run instead. */
  abort(reason: unknown): void {
    if (isShallotError(reason) && uncaught.has(reason.code)) return this.fail(reason);
    if (this.#stopped !== undefined) return;
    const why = reason === undefined ? '' : `: ${messageOf(reason).replace(/\.$/, '')}`;
    const error = new ShallotError('RUN_ABORTED', { message: `The run was aborted${why}.`, cause: reason });
    // The end is being committed, so only that wait can be cut short.
    if (this.#isOver) this.#session.hurry(error);
    else this.#stop(error);
  }

  /**
   * Fails the run at once with an uncaught error. If the outcome is already known, the error is reported as a warning.
   */
  fail(error: ShallotError): void {
    if (this.#stopped !== undefined || this.#isDecided) this.#signs.report(error);
    else this.#stop(error);
  }

  #stop(error: ShallotError): void {
    this.#hook?.runOn();
    this.#signs.forgetWaits();
    this.#stopped = error;
    this.#root.close(error);
    // The outcome is known, and the commits of `afterAgent` belong to it, so they get a little time.
    if (this.#isDecided) this.#session.hurry(error);
    else this.#session.letGo(error);
  }

  /** Notifies the run that something was sent to it. */
  ring(): void {
    ring(this.bell);
  }

  /** Asks the run to end after the current step. */
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
    this.#signs.end();
    this.closeFrames(() => new ShallotError('RUN_ENDED', { message: 'The run has ended.' }));
  }

  /** @throws `RUN_ENDED` once the run is over, since its session may belong to another run */
  throwIfOver(plugin: string, what: string): void {
    if (!this.#isOver) return;
    throw new ShallotError('RUN_ENDED', {
      message: `${plugin} called ${what} on a run that has ended. Await everything that a hook starts before it returns.`,
      plugin,
    });
  }

  throwIfStopped(): void {
    if (this.#stopped !== undefined) throw this.#stopped;
  }

  /**
   * Returns a frame for an operation that an abort must end, even if the operation ignores it. Call `leave` when the
   * operation has settled. @throws the error of a stopped run
   */
  enter(): Frame {
    this.throwIfStopped();
    const frame = new Frame();
    this.#root.adopt(frame, true);
    return frame;
  }

  leave(frame: Frame): void {
    this.#root.release(frame);
  }

  /** Returns the promise's result; rejects on an abort. */
  async orAbort<T>(promise: Promise<T>): Promise<T> {
    const frame = this.enter();
    try {
      return await frame.wait(promise);
    } finally {
      this.leave(frame);
    }
  }

  /** Closes all frames, so that everything in progress rejects. `reasonOf` is called only if something is in progress. */
  closeFrames(reasonOf: () => unknown): void {
    if (this.#root.isBusyInside) this.#root.closeInner(reasonOf());
  }
}

/** Errors of promises and callbacks that nothing awaits. An abort with one of them fails the run. */
const uncaught: ReadonlySet<string> = new Set(['UNCAUGHT', 'INTERNAL']);
