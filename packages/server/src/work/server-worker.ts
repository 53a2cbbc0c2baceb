import type { Agent } from '@shallot/core';

import type { LiveEvents } from '../events/live-events.ts';
import { isOfServer } from './submission-metadata.ts';
import { WakeQueue } from './wake-queue.ts';
import { withClientTools } from './with-client-tools.ts';

/** The terms of the worker in a server. */
export interface ServerWorkTerms {
  readonly concurrency: number;
  readonly stopTimeoutMs: number;
}

/** Executes what is submitted through servers, in this process, with whichever agent the server has. */
export class ServerWorker {
  readonly #live: LiveEvents;
  readonly #terms: ServerWorkTerms;
  readonly #onError: (error: unknown) => void;
  readonly #queue = new WakeQueue();
  readonly #stop = new AbortController();
  readonly #working = new Map<Agent, Promise<void>>();

  constructor(live: LiveEvents, terms: ServerWorkTerms, onError: (error: unknown) => void) {
    this.#live = live;
    this.#terms = terms;
    this.#onError = onError;
  }

  /** Begins to work with an agent. One that it replaces ends its work when it is closed. */
  use(agent: Agent): void {
    if (this.#working.has(agent) || this.#stop.signal.aborted) return;
    const { signal } = this.#stop;
    const working = withClientTools(agent)
      .then(() =>
        agent.work({
          ...this.#terms,
          queue: this.#queue,
          // Runs of other programs are theirs, unless a client answers or resumes one here.
          accepts: isOfServer,
          signal,
          onEvent: this.#live.take,
        }),
      )
      .catch(this.#onError)
      .finally(() => this.#working.delete(agent));
    this.#working.set(agent, working);
  }

  wake(sessionId: string): void {
    void this.#queue.wake(sessionId);
  }

  /** Hands runs in progress back after their step. Resolves once none is left. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#working.values());
  }
}
