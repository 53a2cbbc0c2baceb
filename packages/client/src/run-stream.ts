import type { FeedEvent } from '@shallot/server';

import { ClientError } from './client-error.ts';
import { readEvents } from './read-events.ts';
import type { Requester } from './requester.ts';
import { beforeRun, foldEvent, type RunState } from './run-fold.ts';

/** The run that a stream follows. */
export interface FollowedRun {
  readonly sessionId: string;
  readonly runId: string;
  readonly place?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The events of a run, to its end or its pause for an answer. The stream reconnects by itself, to any server of the
 * same store, and yields each event once. A reader who leaves the iteration does not stop the run; a second iteration
 * continues where the first one stopped.
 */
export class RunStream implements AsyncIterable<FeedEvent> {
  readonly sessionId: string;
  readonly runId: string;
  readonly #requester: Requester;
  readonly #signal: AbortSignal | undefined;
  #place: string | undefined;
  #state = beforeRun;

  constructor(requester: Requester, { sessionId, runId, place, signal }: FollowedRun) {
    this.#requester = requester;
    this.sessionId = sessionId;
    this.runId = runId;
    this.#place = place;
    this.#signal = signal;
  }

  /** The state after the events so far, with `restart` and `reload` applied. It is a new object after each event. */
  get state(): RunState {
    return this.#state;
  }

  /** The place of the last event, from which a later stream can continue; undefined before the first event. */
  get place(): string | undefined {
    return this.#place;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<FeedEvent, void, void> {
    const patience = this.#requester.patience(this.#signal);
    while (this.#state.end === undefined) {
      try {
        const response = await this.#connect();
        // There are no new events, and there will be none.
        if (response.status === 204) return;
        for await (const { place, event } of readEvents(response, this.#requester.silenceMs)) {
          patience.succeeded();
          this.#place = place ?? this.#place;
          this.#state = foldEvent(this.#state, event);
          yield event;
          if (event.type === 'run-end') return;
        }
        throw new ClientError('client/UNREACHABLE', 'The server ended the stream before the run.');
      } catch (error) {
        this.#signal?.throwIfAborted();
        await patience.afterFailure(error);
      }
    }
  }

  #connect(): Promise<Response> {
    const { sessionId, runId } = this;
    return this.#requester.send({
      method: 'GET',
      path: `/sessions/${encodeURIComponent(sessionId)}/events`,
      query: { run: runId },
      headers: {
        accept: 'text/event-stream',
        ...(this.#place === undefined ? {} : { 'last-event-id': this.#place }),
      },
      signal: this.#signal,
    });
  }
}
