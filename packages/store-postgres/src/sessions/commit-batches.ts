import { isShallotError, ShallotError } from '@shallot/core';

/** Captured here, because fake timers of a test could leave a timer that never fires. */
const startTimer = setTimeout;
const atEndOfTick = setImmediate;

/** The maximum number of statements in progress. Further commits wait, and then share a statement. */
const atOnce = 2;
/** Commits wait no longer than this for statements in progress, in milliseconds. */
const longestWaitMs = 100;
/**
 * The possible numbers of commits in one statement. There are few, because each connection keeps a plan for each
 * number.
 */
const sizes = [8, 4, 2, 1] as const;

/** The response of the SQL function that commits. */
export interface Answer {
  readonly outcome: 'ok' | 'revision' | 'format' | 'claim' | 'replace';
  readonly number: number;
  /** The claim of another process; after a commit, `nothing sent` if the inbox was empty. */
  readonly held: string | null;
  readonly held_ms: number;
}

/** A call of the function. Its first value is the digest of the session. */
interface Commit {
  readonly values: readonly [digest: Buffer, ...unknown[]];
  readonly done: PromiseWithResolvers<Answer>;
}

/** Sends statements to the database. */
interface Sender {
  readonly schema: string;
  often(sql: string, values: readonly unknown[]): Promise<readonly (Answer & { readonly place: number })[]>;
}

/**
 * Sends commits. Commits that arrive while others are in progress share a statement, so that many runs need fewer round
 * trips and transactions. Each commit is checked and answered by itself.
 */
export class CommitBatches {
  readonly #database: Sender;
  readonly #waiting: Commit[] = [];
  #inProgress = 0;
  #late: NodeJS.Timeout | undefined;
  #isGathering = false;

  constructor(database: Sender) {
    this.#database = database;
  }

  /** Calls the function with these values. */
  commit(values: Commit['values']): Promise<Answer> {
    const done = Promise.withResolvers<Answer>();
    this.#waiting.push({ values, done });
    this.#sendAtEndOfTick();
    return done.promise;
  }

  /**
   * Sends commits only at the end of the tick: runs whose commits were answered together continue in one tick, and
   * can share the next batch.
   */
  #sendAtEndOfTick(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    atEndOfTick(() => {
      this.#isGathering = false;
      this.#sendWaiting(atOnce);
    });
  }

  #sendWaiting(limit: number): void {
    while (this.#waiting.length > 0 && this.#inProgress < limit) {
      const size = sizes.find((each) => each <= this.#waiting.length);
      this.#inProgress += 1;
      void this.#send(this.#waiting.splice(0, size)).then(() => {
        this.#inProgress -= 1;
        this.#sendAtEndOfTick();
      });
    }
    if (this.#waiting.length === 0) {
      clearTimeout(this.#late);
      this.#late = undefined;
    } else {
      // A connection may be dead, so commits do not wait for its statement forever.
      this.#late ??= startTimer(() => {
        this.#late = undefined;
        this.#sendWaiting(Infinity);
      }, longestWaitMs);
    }
  }

  /** Sends a batch, and settles its commits. Never rejects. */
  async #send(batch: readonly Commit[]): Promise<void> {
    // Commits are sorted, so that two statements never wait for each other.
    const commits = batch.toSorted((a, b) => a.values[0].compare(b.values[0]));
    try {
      const answers = await this.#database.often(
        callsOf(this.#database.schema, commits),
        commits.flatMap(({ values }) => values),
      );
      for (const answer of answers) commits[answer.place]?.done.resolve(answer);
    } catch (error) {
      if (commits.length === 1) commits[0]?.done.reject(error);
      else if (!isShallotError(error) || !error.transient) {
        // The statement had no effect. The commits are sent one by one, because only one of them has the fault.
        for (const commit of commits) await this.#send([commit]);
      } else {
        const { code, message, cause } = error;
        for (const { done } of commits)
          done.reject(new ShallotError(code, { message, cause, transient: true }));
      }
    }
  }
}

function callsOf(schema: string, commits: readonly Commit[]): string {
  return commits
    .map(({ values }, place) => `SELECT ${place} AS place, * FROM ${commitCall(schema, values, place)}`)
    .join(' UNION ALL ');
}

/** Returns the call of the function in SQL; `before` calls with as many values precede it. */
export function commitCall(schema: string, values: readonly unknown[], before = 0): string {
  const places = values.map((_, index) => `$${before * values.length + index + 1}`);
  return `${schema}.commit_change(${places.join(', ')})`;
}
