import { ShallotError } from '../base/errors.ts';
import { Fifo } from '../base/fifo.ts';
import type { Wait } from '../base/wait.ts';
import type { AgentEvent } from '../contract/events.ts';
import type { RunResult } from '../contract/result.ts';
import { joinDeltas } from './parts/join-deltas.ts';

/** If this many events or more are waiting, the run is asked to wait, and further deltas are joined. */
const highWater = 256;

/**
 * The maximum number of progress events that may wait for the consumer, since tools and plugins may emit them without
 * awaiting. Other events of an iteration are never dropped: their number is bounded by the output of the model.
 */
export const mostWaiting = 10_000;

type Step = IteratorResult<AgentEvent, undefined>;

/** The events and the result of a run in progress. */
export interface RunStream<Output = unknown> extends AsyncIterable<AgentEvent> {
  /**
   * The result, as `run()` returns it; rejects as `run()` does. While it is awaited without an iteration, waiting events are
   * dropped. Awaiting it during an iteration lifts the backpressure until the consumer asks for another event.
   */
  readonly result: Promise<RunResult<Output>>;
}

/** Receives the events of a run. `findWait` reports a consumer that keeps the run waiting. */
export interface Listener {
  (event: AgentEvent): void | Promise<void>;
  readonly findWait?: () => Wait | undefined;
}

/**
 * Passes events to one consumer. A slow consumer makes the run wait; a consumer that leaves aborts it. If the run
 * fails, the iteration throws after the last event. It is not a generator, which would cost more per chunk than
 * everything else on its way.
 */
export class EventStream<Output> implements RunStream<Output> {
  readonly #queue = new Fifo<AgentEvent>();
  readonly #abort: (reason: unknown) => void;
  readonly #run: Promise<RunResult<Output>>;
  #result: Promise<RunResult<Output>> | undefined;
  /** The pending calls of `next`, while the queue is empty. */
  readonly #waiting = new Fifo<(step: Step | Promise<Step>) => void>();
  /** Set while the run waits for the consumer; resolved when the queue has room. */
  #room: PromiseWithResolvers<void> | undefined;
  /** The number of progress events in the queue. */
  #progress = 0;
  /** The number of events dropped since the last warning about dropped events. */
  #dropped = 0;
  /** The number of calls of `next`. */
  #asked = 0;
  #over = false;
  #iterating = false;
  /** True if the result is awaited, and no event has been requested since. */
  #awaited = false;

  /** Calls `start` with the listener for the run's events; `start` begins the run. */
  constructor(start: (listener: Listener) => Promise<RunResult<Output>>, abort: (reason: unknown) => void) {
    this.#abort = abort;
    const listener = (event: AgentEvent): void | Promise<void> => this.#push(event);
    this.#run = start(Object.assign(listener, { findWait: () => this.#findWait() }));
    const over = (): void => {
      this.#over = true;
      for (let resolve = this.#waiting.shift(); resolve !== undefined; resolve = this.#waiting.shift())
        resolve(this.#end());
    };
    // Handles the rejection: a consumer that only iterates gets the error from the iterator.
    this.#run.then(over, over);
  }

  get result(): Promise<RunResult<Output>> {
    this.#result ??= new NoticedPromise(this.#run, () => {
      this.#awaited = true;
      this.#makeRoom();
    });
    return this.#result;
  }

  /** Starts an iteration. @throws `STREAM_BUSY` during another iteration */
  [Symbol.asyncIterator](): AsyncIterableIterator<AgentEvent, undefined> {
    if (this.#iterating) {
      throw new ShallotError('STREAM_BUSY', {
        message:
          'Another loop is reading this stream, and each event is given once. Read it in one loop, and pass on what others need.',
      });
    }
    this.#iterating = true;
    this.#awaited = false;
    return {
      next: () => this.#next(),
      return: () => this.#leave(),
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  #next(): Promise<Step> {
    this.#awaited = false;
    this.#asked += 1;
    const value = this.#takeDropped() ?? this.#take();
    if (value !== undefined) {
      if (this.#room !== undefined && this.#queue.length < highWater / 2) this.#makeRoom();
      return Promise.resolve({ value, done: false });
    }
    if (this.#over) return this.#end();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Aborts the run when the consumer leaves, and waits until its end is committed. Errors are only in `result`. */
  async #leave(): Promise<Step> {
    this.#iterating = false;
    this.#awaited = true;
    this.#makeRoom();
    if (!this.#over) this.#abort(new Error('the consumer of the stream left'));
    await this.#run.catch(() => undefined);
    return { value: undefined, done: true };
  }

  async #end(): Promise<Step> {
    this.#iterating = false;
    await this.#run;
    return { value: undefined, done: true };
  }

  #push(event: AgentEvent): void | Promise<void> {
    const resolve = this.#waiting.shift();
    if (resolve !== undefined) return resolve({ value: event, done: false });
    if (this.#awaited && !this.#iterating && this.#queue.length >= highWater) this.#forget();
    this.#keep(event);
    if (this.#awaited || this.#queue.length < highWater) return undefined;
    this.#room ??= Promise.withResolvers<void>();
    return this.#room.promise;
  }

  /**
   * Queues an event. Beyond the limits it joins deltas and drops progress, so that the queue stays bounded if the run
   * does not wait.
   */
  #keep(event: AgentEvent): void {
    const joined = this.#queue.length < highWater ? undefined : joinDeltas(this.#queue.last, event);
    if (joined !== undefined) return this.#queue.replaceLast(joined);
    this.#queue.push(event);
    if (!tellsProgress(event)) return undefined;
    this.#progress += 1;
    return this.#progress > mostWaiting ? this.#dropOlder() : undefined;
  }

  /**
   * Drops the older half of the progress events. Newer progress replaces older, and dropping one at a time would walk
   * the queue each time.
   */
  #dropOlder(): void {
    const before = this.#queue.length;
    let rest = Math.ceil(this.#progress / 2);
    this.#queue.retain((event) => {
      if (rest === 0 || !tellsProgress(event)) return true;
      rest -= 1;
      return false;
    });
    const dropped = before - this.#queue.length;
    this.#progress -= dropped;
    this.#dropped += dropped;
  }

  #take(): AgentEvent | undefined {
    const event = this.#queue.shift();
    if (this.#progress > 0 && event !== undefined && tellsProgress(event)) this.#progress -= 1;
    return event;
  }

  /** Returns a warning about dropped events, or undefined if there were none. */
  #takeDropped(): AgentEvent | undefined {
    const count = this.#dropped;
    if (count === 0) return undefined;
    this.#dropped = 0;
    const message = `${count} events were dropped because ${mostWaiting} were waiting for the consumer of the stream; the newest were kept. Read faster, or await progress in tools.`;
    return { type: 'warning', code: 'EVENTS_DROPPED', message };
  }

  #forget(): void {
    this.#queue.clear();
    this.#progress = 0;
  }

  #findWait(): Wait | undefined {
    if (this.#room === undefined) return undefined;
    return { by: this, what: 'the consumer of the stream to read its events', since: this.#asked };
  }

  #makeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}

/** Returns true for an event that may be dropped: progress, a warning, or an event of a plugin or a child. */
function tellsProgress({ type }: AgentEvent): boolean {
  return type === 'tool-progress' || type === 'plugin' || type === 'warning' || type === 'child';
}

/** A promise that calls `notice` when it is first awaited. Its rejection never counts as unhandled. */
class NoticedPromise<T> extends Promise<T> {
  readonly #notice: (() => void) | undefined;

  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(promise: Promise<T>, notice: () => void) {
    super((resolve, reject) => void promise.then(resolve, reject));
    super.catch(() => undefined);
    this.#notice = notice;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- overrides the method of a promise
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#notice?.();
    return super.then(onFulfilled, onRejected);
  }
}
