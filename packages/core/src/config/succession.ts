import type { Agent } from '../agent.ts';
import { ShallotError } from '../base/errors.ts';
import type { Store } from '../contract/store.ts';

/** The successive agents of one config after reloads. They share a store, which is closed with the last of them. */
export class Succession {
  readonly store: Store;
  readonly #discard: () => Promise<void>;
  /** Replaced agents that are finishing their runs. */
  readonly #retiring = new Set<Pick<Agent, 'close'>>();
  /** Settles when the current reload has finished. */
  #turn: Promise<unknown> = Promise.resolve();
  #current: object | undefined;
  #isClosed = false;

  constructor(store: Store, discard: () => Promise<void>) {
    this.store = store;
    this.#discard = discard;
  }

  /**
   * Makes a member's agent the current one. @throws `AGENT_CLOSED` if its predecessor was closed meanwhile; the agent
   * is then closed, too
   */
  async begin(member: object, agent: Pick<Agent, 'close'>): Promise<void> {
    if (!this.#isClosed) {
      this.#current = member;
      return;
    }
    await agent.close();
    throw wasClosed();
  }

  /** Runs a task for a member, one at a time. @throws `AGENT_CLOSED` if the member was replaced or closed */
  inTurn<T>(member: object, work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(() => {
      if (this.#isClosed) throw wasClosed();
      if (this.#current === member) return work();
      throw closedError('was reloaded before. Use the agent of that reload.');
    });
    this.#turn = done.catch(() => {});
    return done;
  }

  /** Lets a replaced agent finish its runs, then closes it. Rejects with the errors of closing. */
  retire(agent: Pick<Agent, 'close'>): Promise<void> {
    this.#retiring.add(agent);
    return agent.close({ runs: 'finish' }).finally(() => this.#retiring.delete(agent));
  }

  /** Ends the current member: closes its predecessors and the store. Does nothing for other members. */
  async end(member: object, last: (() => void | Promise<void>) | undefined): Promise<void> {
    if (this.#current !== member) return;
    this.#isClosed = true;
    // `retire` rejects with their errors.
    await Promise.allSettled([...this.#retiring].map((agent) => agent.close()));
    try {
      await last?.();
    } finally {
      await this.#discard();
    }
  }
}

function wasClosed(): ShallotError {
  return closedError('was closed. Load a new one.');
}

function closedError(what: string): ShallotError {
  return new ShallotError('AGENT_CLOSED', { message: `The agent ${what}` });
}
