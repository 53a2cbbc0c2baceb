import { ShallotError, type Agent } from '@shallot/core';
import type { SessionHead, Store } from '@shallot/core/store';
import { forkSession, type ForkedSession, type ForkOptions } from '@shallot/core/work';

import type { Identity } from '../access/identity.ts';
import { shownId, storedId } from '../access/session-ids.ts';
import { LiveEvents } from '../events/live-events.ts';
import { RunFeeds } from '../events/run-feeds.ts';
import { noteRequest } from '../observe/request-notes.ts';
import { ServerWorker } from '../work/server-worker.ts';

/** An agent with the store of its sessions, such as `loadAgent` returns. */
export interface ServedAgent {
  /** The agent; undefined if its config could not be loaded. Sessions can then be read, but no run begins. */
  readonly agent?: Agent | undefined;
  readonly store: Store;
}

/** The settings of a server, with defaults. */
export interface ServerTerms {
  readonly execute: 'here' | 'workers';
  readonly concurrency: number;
  readonly stopTimeoutMs: number;
  readonly heartbeatMs: number;
  readonly bodyBytes: number;
  readonly openRuns: number;
  /** True if people other than the owner of the process may use the server. */
  readonly isShared: boolean;
  readonly onError: (error: unknown) => void;
}

/** A session that a request names, with the id under which it is stored. */
export interface FoundSession extends SessionHead {
  readonly shownId: string;
}

/** The parts that the handlers of a server share. */
export class ServerState {
  readonly terms: ServerTerms;
  readonly live = new LiveEvents();
  readonly feeds: RunFeeds;
  readonly #worker: ServerWorker | undefined;
  #served: ServedAgent | undefined;
  #isDraining = false;

  constructor(served: ServedAgent | undefined, terms: ServerTerms) {
    this.terms = terms;
    this.feeds = new RunFeeds(this.live, terms.onError);
    if (terms.execute === 'here') this.#worker = new ServerWorker(this.live, terms, terms.onError);
    this.use(served);
  }

  /** Serves another agent from now on. */
  use(served: ServedAgent | undefined): void {
    this.#served = served;
    if (served?.agent !== undefined) this.#worker?.use(served.agent);
  }

  /**
   * The store of the sessions.
   * @throws `server/AGENT_MISSING`
   */
  get store(): Store {
    if (this.#served === undefined) throw missing();
    return this.#served.store;
  }

  /**
   * The served agent.
   * @throws `server/AGENT_MISSING`
   */
  get agent(): Agent {
    const { agent } = this.#served ?? {};
    if (agent === undefined) throw missing();
    return agent;
  }

  get agentIfAny(): Agent | undefined {
    return this.#served?.agent;
  }

  /**
   * Refuses a request if the server is about to end.
   * @throws `server/DRAINING`
   */
  refuseDraining(): void {
    if (this.#isDraining)
      throw new ShallotError('server/DRAINING', { message: 'The server is about to end.' });
  }

  /** Notifies the local worker and all followers that a session has changed. */
  wake(sessionId: string): void {
    this.#worker?.wake(sessionId);
    this.live.wake(sessionId);
  }

  /** Creates a session with the messages of another one. Without an agent the new session has no files. */
  fork(from: string, options: Omit<ForkOptions, 'files'>): Promise<ForkedSession> {
    const agent = this.agentIfAny;
    return agent === undefined ? forkSession(this.store, from, options) : agent.forkSession(from, options);
  }

  /**
   * Finds a session that the identity may see.
   * @throws `SESSION_NOT_FOUND`, also for a session of another owner
   */
  async find(identity: Identity, id: string): Promise<FoundSession> {
    const stored = storedId(identity, id);
    return this.found(identity, stored, await headOf(this.store, stored));
  }

  /** Returns a session that was read by its stored id, if the identity may see it. @throws as `find` does */
  found(identity: Identity, stored: string, head: SessionHead | undefined): FoundSession {
    const shown = shownId(identity, stored);
    noteRequest({ sessionId: stored });
    if (head !== undefined && (identity.owner === undefined || head.about?.owner === identity.owner))
      return { ...head, shownId: shown };
    throw new ShallotError('SESSION_NOT_FOUND', {
      message: `There is no session ${JSON.stringify(shown.slice(0, 100))}.`,
    });
  }

  /** Takes no more runs. Runs in progress finish their step, and can be resumed later. Then the streams end. */
  async close(): Promise<void> {
    this.#isDraining = true;
    await this.#worker?.stop();
    this.feeds.close();
  }
}

/** Loads a session without its messages, if the store can. */
export async function headOf(store: Store, sessionId: string): Promise<SessionHead | undefined> {
  return store.head === undefined ? store.load(sessionId) : store.head(sessionId);
}

function missing(): ShallotError {
  return new ShallotError('server/AGENT_MISSING', { message: 'The server has no agent.' });
}
