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

/** Executes runs that are submitted through servers, in this process, with the current agent of the server. */
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

  /** Begins to work with an agent. An agent that was replaced stops working when it is closed. */
  use(agent: Agent): void {
    if (this.#working.has(agent) || this.#stop.signal.aborted) return;
    const { signal } = this.#stop;
    const working = withClientTools(agent)
      .then(() =>
        agent.work({
          ...this.#terms,
          queue: this.#queue,
          // Runs of other programs are left to them, unless a client of this server answers or resumes one.
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

  /** Stops the runs in progress after their step, so that other workers can take them. Resolves once no run is left. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#working.values());
  }
}
