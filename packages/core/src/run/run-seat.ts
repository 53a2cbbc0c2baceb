import { ShallotError } from '../base/errors.ts';
import { messageOf } from '../base/thrown.ts';
import type { Wait } from '../base/wait.ts';
import { Frame } from '../hooks/frame.ts';
import type { Logger } from '../log/logger.ts';
import { storeGraceMs } from '../sessions/commit-queue.ts';
import type { ActiveRun } from './active-run.ts';
import type { Waiting } from './parts/wait-keeper.ts';

/** The place of a run in its session: taken before the store has given the session, and until all of the run is over. */
export class RunSeat implements Waiting {
  readonly sessionId: string;
  readonly #log: Logger;
  #run: ActiveRun | undefined;
  /** Set while the store is waited for, and after that. */
  #start: Frame | undefined;
  #timer: NodeJS.Timeout | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  #isStopping = false;
  /** Made when somebody waits for the end: most never do. */
  #over: PromiseWithResolvers<void> | undefined;

  constructor(sessionId: string, log: Logger) {
    this.sessionId = sessionId;
    this.#log = log;
  }

  /** What beginning gives. @throws `RUN_ABORTED` when the run was aborted, and the store stays silent */
  async wait(beginning: Promise<ActiveRun>): Promise<ActiveRun> {
    this.#start = new Frame();
    if (this.#aborted !== undefined) this.#limit(this.#start, this.#aborted.reason);
    try {
      return await this.#start.wait(beginning);
    } finally {
      clearTimeout(this.#timer);
    }
  }

  /** Whether nobody waits for the store any more: what comes of it has to be brought to its end. */
  get isLeft(): boolean {
    return this.#start?.closed === true;
  }

  /** The run has its session. What happened before it is told now. */
  take(run: ActiveRun): void {
    this.#run = run;
    if (this.#aborted !== undefined) run.abort(this.#aborted.reason);
    if (this.#isStopping) run.stopAfterStep();
  }

  /** The run is to end with the step that it is in. */
  stopAfterStep(): void {
    this.#isStopping = true;
    this.#run?.stopAfterStep();
  }

  /** The run is left to another worker: after its step, or at once. */
  handBack(isAtOnce: boolean): void {
    const run = this.#run;
    run?.life.handBack();
    if (isAtOnce) run?.abort(new Error('its worker is stopping'));
  }

  /** Aborts the run. A store that gives its session soon gets its end all the same. */
  abort(reason: unknown): void {
    this.#aborted ??= { reason };
    if (this.#run !== undefined) return this.#run.abort(reason);
    if (this.#start !== undefined) this.#limit(this.#start, reason);
    return undefined;
  }

  /** The store has not for ever to give the session. */
  #limit(start: Frame, reason: unknown): void {
    this.#timer ??= setTimeout(() => {
      const why = reason === undefined ? '' : `: ${messageOf(reason)}`;
      const message = `The run was aborted${why}. The store has not answered for session "${this.sessionId}".`;
      start.close(new ShallotError('RUN_ABORTED', { message, cause: reason }));
    }, storeGraceMs);
  }

  /** Resolves when the seat is free again. */
  get over(): Promise<void> {
    this.#over ??= Promise.withResolvers<void>();
    return this.#over.promise;
  }

  leave(): void {
    this.#over?.resolve();
  }

  findWaits(): readonly Wait[] {
    if (this.#run !== undefined) return this.#run.findWaits();
    return [{ by: this, what: `the store to give session "${this.sessionId}"` }];
  }

  notice(message: string, plugin: string | undefined): void {
    if (this.#run !== undefined) return this.#run.notice(message, plugin);
    // There is no run yet that could say it on its stream.
    this.#log.warn({ sessionId: this.sessionId, code: 'STILL_WAITING' }, message);
    return undefined;
  }
}
