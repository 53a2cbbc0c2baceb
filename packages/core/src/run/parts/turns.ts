import { Fifo } from '../../base/fifo.ts';

/** What a run does at once, before it first waits, takes some microseconds to some tenths of a millisecond. */
export const mostInTurn = 20;

/** A test that fakes timers may leave one that never comes: then, the last to end lets in others. */
const startTimer = setImmediate;

/**
 * Lets no more than 20 runs begin in one turn of the event loop: thousands that are started together must not hold up all
 * else in the process.
 */
export class Turns {
  readonly #waiting = new Fifo<() => void>();
  /** How many have begun in this turn of the event loop. */
  #begun = 0;
  /** How many have begun, and not ended. */
  #active = 0;
  #isAwaited = false;

  /** Undefined when one may begin now; else resolves in its turn. One that has begun calls `end`. */
  begin(): Promise<void> | undefined {
    if (!this.#isAwaited) this.#awaitTurn();
    if (this.#begun >= mostInTurn) return this.#laterTurn();
    this.#begun += 1;
    this.#active += 1;
    return undefined;
  }

  /** One that has begun is over. Runs that follow each other need no turns. */
  end(): void {
    this.#active -= 1;
    if (this.#active === 0) this.#letIn();
  }

  #laterTurn(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    return promise;
  }

  #awaitTurn(): void {
    this.#isAwaited = true;
    startTimer(() => {
      this.#isAwaited = false;
      this.#letIn();
      if (this.#begun > 0) this.#awaitTurn();
    });
  }

  #letIn(): void {
    this.#begun = 0;
    while (this.#begun < mostInTurn) {
      const begin = this.#waiting.shift();
      if (begin === undefined) return;
      this.#begun += 1;
      this.#active += 1;
      begin();
    }
  }
}

/** Those of the runs of this process. */
export const turns = new Turns();
