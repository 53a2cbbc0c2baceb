import type { Agent } from '../agent.ts';
import { ShallotError } from '../base/errors.ts';
import type { Store } from '../contract/store.ts';

/** The agents that one config gives one after the other. They share a store, which is closed with the last of them. */
export class Succession {
  readonly store: Store;
  readonly #discard: () => Promise<void>;
  /** Those that are replaced, and still finish their runs. */
  readonly #retiring = new Set<Pick<Agent, 'close'>>();
  /** Settles when the reload in progress is over. */
  #turn: Promise<unknown> = Promise.resolve();
  #current: object | undefined;
  #isClosed = false;

  constructor(store: Store, discard: () => Promise<void>) {
    this.store = store;
    this.#discard = discard;
  }

  /** Makes the agent of a member the current one. @throws `AGENT_CLOSED` if the one before was closed meanwhile; so is this one */
  async begin(member: object, agent: Pick<Agent, 'close'>): Promise<void> {
    if (!this.#isClosed) {
      this.#current = member;
      return;
    }
    await agent.close();
    throw wasClosed();
  }

  /** Does something for a member as the only one that does. @throws `AGENT_CLOSED` if it is not the current one */
  inTurn<T>(member: object, work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(() => {
      if (this.#isClosed) throw wasClosed();
      if (this.#current === member) return work();
      throw closedError('was reloaded before. Use the agent of that reload.');
    });
    this.#turn = done.catch(() => {});
    return done;
  }

  /** Lets a replaced agent finish its runs, and closes it. Rejects with what goes wrong then. */
  retire(agent: Pick<Agent, 'close'>): Promise<void> {
    this.#retiring.add(agent);
    return agent.close({ runs: 'finish' }).finally(() => this.#retiring.delete(agent));
  }

  /** What the agent of a member does last: if it is the current one, nothing is left of its predecessors, nor of the store. */
  async end(member: object, last: (() => void | Promise<void>) | undefined): Promise<void> {
    if (this.#current !== member) return;
    this.#isClosed = true;
    // Whoever retired them hears of their errors.
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
