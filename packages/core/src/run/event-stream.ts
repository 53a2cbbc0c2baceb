import { Fifo } from '../base/fifo.ts';
import type { AgentEvent } from '../contract/events.ts';
import type { RunResult } from '../contract/result.ts';
import { joinDeltas } from './join-deltas.ts';

/** Events that wait for the consumer; beyond this many the run waits too, and deltas that come all the same are joined. */
const highWater = 256;

/**
 * As many of the events that tell how something goes may wait at most: tools and plugins send them without waiting, if they like.
 * Events that tell what was done are never dropped: their number is bounded by what models ask for.
 */
export const mostWaiting = 10_000;

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
  /** How many events were dropped since the last one that was kept. */
  #dropped = 0;
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
    const value = this.#queue.shift() ?? this.#takeDropped();
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
    this.#keep(event);
    if (this.#resultOnly || this.#queue.length < highWater) return undefined;
    this.#room ??= Promise.withResolvers<void>();
    return this.#room.promise;
  }

  /** Of whoever does not wait when asked to, what can be is put together, or dropped: the queue grows no more. */
  #keep(event: AgentEvent): void {
    const joined = this.#queue.length < highWater ? undefined : joinDeltas(this.#queue.last, event);
    if (joined !== undefined) return this.#queue.replaceLast(joined);
    if (this.#queue.length >= mostWaiting && tellsProgress(event)) {
      this.#dropped += 1;
      return undefined;
    }
    const warning = this.#takeDropped();
    if (warning !== undefined) this.#queue.push(warning);
    return this.#queue.push(event);
  }

  /** What the consumer is told of the events that were dropped, if any were. */
  #takeDropped(): AgentEvent | undefined {
    const count = this.#dropped;
    if (count === 0) return undefined;
    this.#dropped = 0;
    const message = `${count} events were dropped because ${mostWaiting} were waiting for the consumer of the stream. Read faster, or await progress in tools.`;
    return { type: 'warning', code: 'EVENTS_DROPPED', message };
  }

  #makeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}

/** Whether an event tells how something goes, and not what was done. */
function tellsProgress({ type }: AgentEvent): boolean {
  return type === 'tool-progress' || type === 'plugin' || type === 'warning';
}
