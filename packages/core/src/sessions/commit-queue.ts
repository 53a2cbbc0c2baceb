import { ShallotError } from '../base/errors.ts';
import { handled } from '../base/handled.ts';
import { inTime } from '../base/in-time.ts';
import { asThrown } from '../base/thrown.ts';
import type { Wait } from '../base/wait.ts';
import type { Store } from '../contract/store.ts';
import { join, mayJoin, type MutableChange } from './join-changes.ts';
import { toStored, type LiveChange } from './journal-change.ts';
import { commitInMemory } from './memory-store.ts';
import { storeError } from './store-error.ts';

/** How long a store may take for a commit, in milliseconds, once the run was stopped: who stops it waits for no more. */
export const storeGraceMs = 2000;

/** A change that waits for its turn, with those who wait for it. */
interface Batch {
  readonly change: MutableChange;
  done: PromiseWithResolvers<void>;
}

/**
 * The commits of one session, one after the other. What is committed while a commit is under way goes out together in the
 * next one; what nobody waits for goes out with the next, or a turn of the event loop later.
 */
export class CommitQueue {
  /** Those with something that goes out at the end of this turn of the event loop: one timer is enough for all. */
  static readonly #due = new Set<CommitQueue>();
  static #isAwaited = false;

  readonly #store: Store;
  readonly #id: string;
  /** Made when a commit has to wait: those of a run wait for each other seldom. */
  #queue: Batch[] | undefined;
  /** What goes out with the next commit. */
  #held: MutableChange | undefined;
  #revision: number;
  /** The commit that the store is at work on. */
  #sent: PromiseWithResolvers<void> | undefined;
  #isStopped = false;
  #hurry: NodeJS.Timeout | undefined;
  /** Set when the store was too slow for a run that was stopped, until it has done something. */
  #silence: ShallotError | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(store: Store, id: string, revision: number) {
    this.#store = store;
    this.#id = id;
    this.#revision = revision;
  }

  /** Keeps a change for the next commit. Whatever is committed before that goes out together with it. */
  hold(change: LiveChange): void {
    if (this.#held !== undefined && !mayJoin(this.#held, change)) this.#sendHeld();
    if (this.#held === undefined) this.#held = { ...change };
    else join(this.#held, change);
  }

  /** Commits what nobody waits for: with the next commit, or else when a turn of the event loop has passed. */
  soon(change: LiveChange): void {
    this.hold(change);
    CommitQueue.#sendAtEndOfTurn(this);
  }

  /** Resolves when the store has the change; undefined if it has it already. */
  commit(change: LiveChange): Promise<void> | undefined {
    const committed = this.#enqueue(change);
    if (committed === undefined || !this.#isStopped) return committed;
    if (this.#silence === undefined) return inTime(committed, storeGraceMs, () => this.#silent());
    void handled(committed);
    return Promise.reject(this.#silence);
  }

  /**
   * The run was stopped: nobody waits any longer for what is under way, and not for long for what comes. All of it still
   * reaches the store when that goes on; a session whose end does not is free when its claim lapses.
   */
  letGo(reason: unknown): void {
    this.#isStopped = true;
    if (this.#sent !== undefined) this.#sent = renewed(this.#sent, reason);
    for (const batch of this.#queue ?? []) batch.done = renewed(batch.done, reason);
  }

  /** Lets go those who wait, unless the store settles soon. */
  hurry(reason: unknown): void {
    if (this.#sent === undefined) return;
    this.#hurry ??= setTimeout(() => this.letGo(reason), storeGraceMs);
  }

  /** The commit that is waited for, if one is. */
  get committing(): Wait | undefined {
    if (this.#sent === undefined) return undefined;
    return { by: this, what: `the store to commit session "${this.#id}"`, since: this.#revision };
  }

  /** The revision at which the store has all that was to be kept; undefined when it has not. */
  get revision(): number | undefined {
    const isBehind = this.#sent !== undefined || this.#held !== undefined || this.#failure !== undefined;
    return isBehind ? undefined : this.#revision;
  }

  /** Settles when the store has all that it was given; undefined when it has. */
  get behind(): Promise<void> | undefined {
    return (this.#queue?.at(-1)?.done ?? this.#sent)?.promise;
  }

  #sendHeld(): void {
    const sent = this.#enqueue({});
    // Whoever commits next is told of a failure.
    if (sent !== undefined) void handled(sent);
  }

  #enqueue(change: LiveChange): Promise<void> | undefined {
    if (this.#held !== undefined && !mayJoin(this.#held, change)) this.#sendHeld();
    const whole = this.#withHeld(change);
    if (this.#sent === undefined) {
      if (this.#isCommittedAtOnce(whole)) return undefined;
      return this.#send(whole, Promise.withResolvers<void>());
    }
    const waiting = this.#queue?.at(-1);
    if (waiting !== undefined && mayJoin(waiting.change, whole)) {
      join(waiting.change, whole);
      return waiting.done.promise;
    }
    const batch: Batch = { change: { ...whole }, done: Promise.withResolvers<void>() };
    this.#queue ??= [];
    this.#queue.push(batch);
    return batch.done.promise;
  }

  /** Whether the store has the change already: there is nothing to wait for where sessions are in memory. */
  #isCommittedAtOnce(change: LiveChange): boolean {
    if (this.#failure !== undefined) return false;
    try {
      const revision = commitInMemory(this.#store, this.#id, this.#revision, change);
      if (revision === undefined) return false;
      this.#revision = revision;
      return true;
    } catch (error) {
      this.#failure = { error: storeError(this.#id, 'kept', error) };
      return false;
    }
  }

  /** Sends a change, then what has come to wait. After a failure nothing more is sent: the store knows better. */
  #send(change: LiveChange, done: PromiseWithResolvers<void>): Promise<void> {
    this.#sent = done;
    if (this.#failure === undefined) {
      this.#commit(change);
    } else {
      this.#failed(this.#failure.error);
    }
    return done.promise;
  }

  /** A store that throws at once is one that rejects; one that is not async gives its revision at once. */
  #commit(change: LiveChange): void {
    let committed: Promise<number>;
    try {
      committed = this.#store.commit(this.#id, this.#revision, toStored(change));
    } catch (error) {
      committed = Promise.reject(asThrown(error));
    }
    Promise.resolve(committed).then(
      (revision) => this.#committed(revision),
      (error: unknown) => this.#failed(error),
    );
  }

  #committed(revision: number): void {
    this.#revision = revision;
    this.#sendNext()?.resolve();
  }

  #failed(error: unknown): void {
    this.#failure ??= { error: storeError(this.#id, 'kept', error) };
    const { error: failure } = this.#failure;
    this.#sendNext()?.reject(failure);
  }

  /** Gives what was under way until now. */
  #sendNext(): PromiseWithResolvers<void> | undefined {
    const sent = this.#sent;
    this.#sent = undefined;
    this.#silence = undefined;
    const next = this.#queue?.shift();
    if (next === undefined) clearTimeout(this.#hurry);
    else void this.#send(next.change, next.done);
    return sent;
  }

  #silent(): ShallotError {
    this.#silence ??= new ShallotError('STORE_FAILED', {
      message: `Session "${this.#id}" may not be saved: the store has not answered within ${storeGraceMs} ms after the run was stopped. If it never does, the claim expires and the run can be resumed.`,
    });
    return this.#silence;
  }

  static #sendAtEndOfTurn(queue: CommitQueue): void {
    CommitQueue.#due.add(queue);
    if (CommitQueue.#isAwaited) return;
    CommitQueue.#isAwaited = true;
    startTimer(() => {
      CommitQueue.#isAwaited = false;
      for (const each of CommitQueue.#due) {
        CommitQueue.#due.delete(each);
        each.#sendHeld();
      }
    });
  }

  #withHeld(change: LiveChange): LiveChange {
    const held = this.#held;
    if (held === undefined) return change;
    this.#held = undefined;
    CommitQueue.#due.delete(this);
    join(held, change);
    return held;
  }
}

/** A test that fakes timers may leave one that never comes. */
const startTimer = setImmediate;

/** Rejects who waits, and gives what they would wait for from now on. */
function renewed(done: PromiseWithResolvers<void>, reason: unknown): PromiseWithResolvers<void> {
  done.reject(reason);
  const fresh = Promise.withResolvers<void>();
  void handled(fresh.promise);
  return fresh;
}
