import { ShallotError } from '../base/errors.ts';
import { messageOf } from '../base/thrown.ts';
import type { Wait } from '../base/wait.ts';
import { Frame } from '../hooks/frame.ts';
import type { Logger } from '../log/logger.ts';
import { storeGraceMs } from '../sessions/live/commit-queue.ts';
import type { Listener } from './event-stream.ts';
import type { WaitSource } from './parts/wait-reporter.ts';
import type { RunParts } from './run-parts.ts';

/** Reserves a session for a run in this process: from before the session is loaded until the run is completely over. */
export class RunSeat implements WaitSource {
  readonly sessionId: string;
  readonly #log: Logger;
  #listener: Listener | undefined;
  #run: RunParts | undefined;
  /** The frame around loading the session; set once loading has begun. */
  #start: Frame | undefined;
  #timer: NodeJS.Timeout | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  /** Created on first use, by taps on the input. */
  #controller: AbortController | undefined;
  #isStopping = false;
  /** Created when the beginning is first awaited. */
  #begun: PromiseWithResolvers<void> | undefined;
  /** Created when the end is first awaited. */
  #over: PromiseWithResolvers<void> | undefined;

  constructor(sessionId: string, log: Logger, listener?: Listener) {
    this.sessionId = sessionId;
    this.#log = log;
    this.#listener = listener;
  }

  /** Aborted together with the run, also before the run has begun. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  /**
   * Waits until the run has begun. @throws `RUN_ABORTED` if the run was aborted and the store does not answer in time
   */
  async wait<T>(beginning: Promise<T>): Promise<T> {
    this.#start = new Frame();
    if (this.#aborted !== undefined) this.#limit(this.#start, this.#aborted.reason);
    try {
      return await this.#start.wait(beginning);
    } finally {
      clearTimeout(this.#timer);
    }
  }

  /** True if the caller stopped waiting for the store. A run that begins after that must be ended. */
  get isLeft(): boolean {
    return this.#start?.closed === true;
  }

  get isAborted(): boolean {
    return this.#aborted !== undefined;
  }

  /** The run; undefined until it has its session, and once it is over. */
  get run(): RunParts | undefined {
    return this.#run;
  }

  /** Sets the run once it has its session, and applies an earlier abort or stop. */
  take(run: RunParts): void {
    this.#run = run;
    this.#begun?.resolve();
    if (this.#aborted !== undefined) run.life.abort(this.#aborted.reason);
    if (this.#isStopping) run.life.stopAfterStep();
  }

  /** Asks the run to end after its current step. */
  stopAfterStep(): void {
    this.#isStopping = true;
    this.#run?.life.stopAfterStep();
  }

  /**
   * Hands the run over to another worker: after the current step, or at once. Does nothing before the run has its
   * session.
   */
  handBack(isAtOnce: boolean): void {
    if (this.#run === undefined) return;
    const { life, record } = this.#run;
    life.handBack();
    record.handBack();
    if (isAtOnce) life.abort(new Error('its worker is stopping'));
  }

  /**
   * Aborts the run. If the session is still loading, the store has a short time left to answer, so that the end can be
   * committed.
   */
  abort(reason: unknown): void {
    this.#aborted ??= { reason };
    this.#controller?.abort(reason);
    if (this.#run !== undefined) return this.#run.life.abort(reason);
    if (this.#start !== undefined) this.#limit(this.#start, reason);
    return undefined;
  }

  /** Limits how long an aborted run waits for the store to load the session. */
  #limit(start: Frame, reason: unknown): void {
    this.#timer ??= setTimeout(() => {
      const why = reason === undefined ? '' : `: ${messageOf(reason)}`;
      const message = `The run was aborted${why}. The store has not answered for session "${this.sessionId}".`;
      start.close(new ShallotError('RUN_ABORTED', { message, cause: reason }));
    }, storeGraceMs);
  }

  /**
   * Resolves when the run has its session, or when the seat is free again; undefined if the run already has its session.
   */
  get begun(): Promise<void> | undefined {
    if (this.#run !== undefined) return undefined;
    this.#begun ??= Promise.withResolvers<void>();
    return this.#begun.promise;
  }

  /** Resolves when the seat is free again. */
  get over(): Promise<void> {
    this.#over ??= Promise.withResolvers<void>();
    return this.#over.promise;
  }

  /**
   * Frees the seat, and drops its run: a map or set that held the seat may keep it in its table after its removal, until
   * the next full garbage collection, and would keep the whole run in memory.
   */
  leave(): void {
    this.#begun?.resolve();
    this.#over?.resolve();
    this.#run = undefined;
    this.#start = undefined;
    this.#listener = undefined;
  }

  findWaits(): readonly Wait[] {
    const waits = this.#run === undefined ? [this.#storeWait] : waitsOf(this.#run);
    const consumer = this.#listener?.findWait?.();
    return consumer === undefined ? waits : [...waits, consumer];
  }

  get #storeWait(): Wait {
    return { by: this, what: `the store to give session "${this.sessionId}"` };
  }

  notice(message: string, plugin: string | undefined): void {
    if (this.#run !== undefined) return this.#run.signs.notice(message, plugin);
    const code = 'STILL_WAITING';
    this.#log.warn({ sessionId: this.sessionId, code }, message);
    void this.#listener?.({ type: 'warning', code, message });
    return undefined;
  }
}

/** Returns the current waits of a run. A pending store operation hides all others. */
function waitsOf({ life, record, signs }: RunParts): readonly Wait[] {
  const { storeWait } = record.session;
  return storeWait === undefined ? signs.stretches.find(life) : [storeWait];
}
