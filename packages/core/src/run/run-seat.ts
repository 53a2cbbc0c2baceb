import { ShallotError } from '../base/errors.ts';
import { messageOf } from '../base/thrown.ts';
import type { Wait } from '../base/wait.ts';
import { Frame } from '../hooks/frame.ts';
import type { Logger } from '../log/logger.ts';
import { storeGraceMs } from '../sessions/commit-queue.ts';
import type { ActiveRun } from './active-run.ts';
import type { Waiting } from './parts/wait-keeper.ts';

/** A run that waits for its store to give it its session. */
export class RunStart implements Waiting {
  readonly #session: string;
  readonly #log: Logger;
  readonly #frame = new Frame();
  #timer: NodeJS.Timeout | undefined;

  constructor(sessionId: string, log: Logger) {
    this.#session = sessionId;
    this.#log = log;
  }

  /** What beginning gives. @throws `RUN_ABORTED` when it was given up, and the store stays silent */
  async wait(beginning: Promise<ActiveRun>): Promise<ActiveRun> {
    try {
      return await this.#frame.wait(beginning);
    } finally {
      clearTimeout(this.#timer);
    }
  }

  findWaits(): readonly Wait[] {
    return [{ by: this, what: `the store to give session "${this.#session}"` }];
  }

  /** There is no run yet that could say it on its stream. */
  notice(message: string): void {
    this.#log.warn({ sessionId: this.#session, code: 'STILL_WAITING' }, message);
  }

  /** Whether nobody waits for it any more: what comes of it has to be brought to its end. */
  get isLeft(): boolean {
    return this.#frame.closed;
  }

  /** The run is not wanted any more. A store that answers soon gets its end all the same. */
  giveUp(reason: unknown): void {
    this.#timer ??= setTimeout(() => {
      const why = reason === undefined ? '' : `: ${messageOf(reason)}`;
      const message = `The run was aborted${why}. The store has not answered for session "${this.#session}".`;
      this.#frame.close(new ShallotError('RUN_ABORTED', { message, cause: reason }));
    }, storeGraceMs);
  }
}
