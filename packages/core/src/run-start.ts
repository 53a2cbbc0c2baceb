import type { ActiveRun } from './active-run.ts';
import { messageOf, ShallotError } from './errors.ts';
import { Frame } from './frame.ts';
import { storeGraceMs } from './live-session.ts';

/** A run that waits for its store to give it its session. */
export class RunStart {
  readonly #session: string;
  readonly #frame = new Frame();
  #timer: NodeJS.Timeout | undefined;

  constructor(session: string) {
    this.#session = session;
  }

  /** What beginning gives. @throws `RUN_ABORTED` when it was given up, and the store stays silent */
  async wait(beginning: Promise<ActiveRun>): Promise<ActiveRun> {
    try {
      return await this.#frame.wait(beginning);
    } finally {
      clearTimeout(this.#timer);
    }
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
