import { Fifo } from '../base/fifo.ts';
import type { AgentEvent } from '../contract/events.ts';
import type { RunResult } from '../contract/result.ts';
import { joinDeltas } from './join-deltas.ts';

/** Events that wait for the consumer; beyond this many the run waits too, and deltas that come all the same are joined. */
const highWater = 256;

type Step = IteratorResult<AgentEvent, undefined>;

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
 * makes the iteration throw, after its last event. It is its own iterator: a generator would cost more than the rest of
 * a chunk's way.
 */
export class EventStream<Output> implements RunStream<Output>, AsyncIterator<AgentEvent, undefined> {
  readonly #queue = new Fifo<AgentEvent>();
  readonly #abort: (reason: unknown) => void;
  readonly #result: Promise<RunResult<Output>>;
  /** Those who wait for an event, when there is none. */
  readonly #waiting = new Fifo<(step: Step | Promise<Step>) => void>();
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
      for (let resolve = this.#waiting.shift(); resolve !== undefined; resolve = this.#waiting.shift())
        resolve(this.#end());
    };
    // Whoever only iterates gets the failure from the iteration.
    this.#result.then(over, over);
  }

  get result(): Promise<RunResult<Output>> {
    this.#resultOnly = !this.#iterating;
    if (this.#resultOnly) this.#makeRoom();
    return this.#result;
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent, undefined> {
    this.#iterating = true;
    this.#resultOnly = false;
    return this;
  }

  next(): Promise<Step> {
    const value = this.#queue.shift();
    if (value !== undefined) {
      if (this.#room !== undefined && this.#queue.length < highWater / 2) this.#makeRoom();
      return Promise.resolve({ value, done: false });
    }
    if (this.#over) return this.#end();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** The consumer leaves: the run is aborted, and over when its end is committed. How it ended is in `result`. */
  async return(): Promise<Step> {
    this.#iterating = false;
    this.#resultOnly = true;
    this.#makeRoom();
    if (!this.#over) this.#abort(new Error('the consumer of the stream left'));
    await this.#result.catch(() => undefined);
    return { value: undefined, done: true };
  }

  async #end(): Promise<Step> {
    this.#iterating = false;
    await this.#result;
    return { value: undefined, done: true };
  }

  #push(event: AgentEvent): void | Promise<void> {
    const resolve = this.#waiting.shift();
    if (resolve !== undefined) return resolve({ value: event, done: false });
    if (this.#resultOnly && this.#queue.length >= highWater) this.#queue.clear();
    // Of whoever does not wait when asked to, what can be is put together: the queue grows no more.
    const joined = this.#queue.length < highWater ? undefined : joinDeltas(this.#queue.last, event);
    if (joined === undefined) this.#queue.push(event);
    else this.#queue.replaceLast(joined);
    if (this.#resultOnly || this.#queue.length < highWater) return undefined;
    this.#room ??= Promise.withResolvers<void>();
    return this.#room.promise;
  }

  #makeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
