import type { AgentEvent } from './events.ts';
import type { RunResult } from './result.ts';

/** Events that wait for the consumer; beyond this many the run waits too. */
const highWater = 256;

/** A run as it goes: its events, and its result. */
export interface RunStream<Output = unknown> extends AsyncIterable<AgentEvent> {
  /**
   * The result, as `run()` gives it; rejects as `run()` does. Without anybody iterating, the events are dropped; they
   * begin to be kept when an iteration begins.
   */
  readonly result: Promise<RunResult<Output>>;
}

/**
 * Hands events to one consumer. A consumer that lags makes the run wait, one that leaves aborts it. A run that fails
 * makes the iteration throw, after its last event.
 */
export class EventStream<Output> implements RunStream<Output> {
  readonly #queue: AgentEvent[] = [];
  readonly #abort: (reason: unknown) => void;
  readonly #result: Promise<RunResult<Output>>;
  #wake: (() => void) | undefined;
  /** Resolves when the consumer has caught up. */
  #room: PromiseWithResolvers<void> | undefined;
  #over = false;
  #iterating = false;
  #resultOnly = false;

  /** `start` begins the run, with the function that takes its events. */
  constructor(
    start: (listener: (event: AgentEvent) => void | Promise<void>) => Promise<RunResult<Output>>,
    abort: (reason: unknown) => void,
  ) {
    this.#abort = abort;
    this.#result = start((event) => this.#push(event));
    const over = (): void => {
      this.#over = true;
      this.#wake?.();
    };
    // Whoever only iterates gets the failure from the iteration.
    this.#result.then(over, over);
  }

  get result(): Promise<RunResult<Output>> {
    this.#resultOnly = !this.#iterating;
    if (this.#resultOnly) this.#makeRoom();
    return this.#result;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent, void, undefined> {
    this.#iterating = true;
    this.#resultOnly = false;
    let finished = false;
    try {
      for (;;) {
        const event = this.#queue.shift();
        if (event !== undefined) {
          if (this.#queue.length < highWater / 2) this.#makeRoom();
          yield event;
        } else if (this.#over) {
          finished = true;
          await this.#result;
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      this.#iterating = false;
      this.#resultOnly = true;
      this.#makeRoom();
      if (!finished) {
        this.#abort(new Error('the consumer of the stream left'));
        // The run is over when its end is committed; how it ended is in `result`.
        await this.#result.catch(() => undefined);
      }
    }
  }

  #push(event: AgentEvent): void | Promise<void> {
    if (this.#resultOnly && this.#queue.length >= highWater) {
      this.#queue.length = 0;
      return undefined;
    }
    this.#queue.push(event);
    this.#wake?.();
    this.#wake = undefined;
    if (this.#queue.length < highWater || this.#resultOnly) return undefined;
    this.#room ??= Promise.withResolvers<void>();
    return this.#room.promise;
  }

  #makeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
