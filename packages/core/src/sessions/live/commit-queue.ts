import { ShallotError } from '../../base/errors.ts';
import { handled } from '../../base/handled.ts';
import { inTime } from '../../base/in-time.ts';
import { asThrown } from '../../base/thrown.ts';
import type { Wait } from '../../base/wait.ts';
import type { RunRecord, Store } from '../../contract/store.ts';
import { toStored, type ChangeDraft } from '../content/change-draft.ts';
import { join, mayJoin, type MutableDraft } from '../content/join-drafts.ts';
import { commitInMemory } from '../stores/memory-store.ts';
import { storeError } from '../stores/store-error.ts';

/** The time that the store has for a commit after the run was stopped, in milliseconds. */
export const storeGraceMs = 2000;

/** A change that waits for the previous commit, with the promise of its callers. */
interface Batch {
  readonly change: MutableDraft;
  done: PromiseWithResolvers<void>;
}

/**
 * Commits the changes of one session one after the other, each at the revision of the previous commit. Changes that
 * arrive during a commit are merged into the next one.
 */
export class CommitQueue {
  /** Queues with a held change to send at the end of the current tick; a single timer serves all of them. */
  static readonly #due = new Set<CommitQueue>();
  static #isTimerSet = false;

  readonly #store: Store;
  readonly #id: string;
  /** Created on first use, since the commits of a run rarely overlap. */
  #queue: Batch[] | undefined;
  /** A change that waits to be merged into the next commit. */
  #held: MutableDraft | undefined;
  /** Makes the record of the run for the next commit, unless that commit has its own. */
  #record: (() => RunRecord) | undefined;
  #revision: number;
  /** The commit in progress. */
  #sent: PromiseWithResolvers<void> | undefined;
  #isStopped = false;
  #hurry: NodeJS.Timeout | undefined;
  /**
   * Set if the store did not answer in time after the run was stopped; cleared by its next answer. Until then, commits
   * reject with it at once.
   */
  #silence: ShallotError | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(store: Store, id: string, revision: number) {
    this.#store = store;
    this.#id = id;
    this.#revision = revision;
  }

  /** Holds a change back: the next commit includes it. */
  hold(change: ChangeDraft): void {
    // Changes that cannot be merged, such as a replacement after an append, need separate commits.
    if (this.#held !== undefined && !mayJoin(this.#held, change)) this.#sendHeld();
    if (this.#held === undefined) this.#held = { ...change };
    else join(this.#held, change);
  }

  /**
   * Holds a change back, and commits it at the end of the current tick unless another commit includes it before.
   * Nothing reports its success; a failure rejects all later commits.
   */
  soon(change: ChangeDraft): void {
    this.hold(change);
    CommitQueue.#sendAtEndOfTick(this);
  }

  /**
   * Like `soon`, for the record of the run. The record is made when the commit that includes it is queued, and only if that
   * commit has no record of its own. Replaces a record that has not been made yet.
   */
  recordSoon(make: () => RunRecord): void {
    this.#record = make;
    CommitQueue.#sendAtEndOfTick(this);
  }

  /**
   * Commits a change. Resolves when the store has it; returns undefined if the store is in memory and already has it.
   * Once the run was stopped, rejects with `STORE_FAILED` if the store does not answer within `storeGraceMs`, and at once
   * while it is known to be silent. The change is sent nevertheless.
   */
  commit(change: ChangeDraft): Promise<void> | undefined {
    const committed = this.#enqueue(change);
    if (committed === undefined || !this.#isStopped) return committed;
    if (this.#silence === undefined) return inTime(committed, storeGraceMs, () => this.#noteSilence());
    void handled(committed);
    return Promise.reject(this.#silence);
  }

  /**
   * Stops waiting for the store, because the run was stopped: pending commits reject with `reason`, later ones wait no
   * longer than `storeGraceMs`. All changes are still sent when the store answers. If the end of the run does not
   * arrive, the session is free when its claim expires.
   */
  letGo(reason: unknown): void {
    this.#isStopped = true;
    if (this.#sent !== undefined) this.#sent = renewed(this.#sent, reason);
    for (const batch of this.#queue ?? []) batch.done = renewed(batch.done, reason);
  }

  /** Calls `letGo` unless all pending commits have ended within `storeGraceMs`. Later commits wait no longer than that. */
  hurry(reason: unknown): void {
    this.#isStopped = true;
    if (this.#sent === undefined) return;
    this.#hurry ??= setTimeout(() => {
      this.#hurry = undefined;
      this.letGo(reason);
    }, storeGraceMs);
  }

  /** The wait for the commit in progress. */
  get committing(): Wait | undefined {
    if (this.#sent === undefined) return undefined;
    return { by: this, what: `the store to commit session "${this.#id}"`, since: this.#revision };
  }

  /** The revision of the last successful commit. */
  get lastRevision(): number {
    return this.#revision;
  }

  /**
   * The revision of the session if the store has all changes; undefined while one is pending or held, and after a
   * failure.
   */
  get revision(): number | undefined {
    const isHeld = this.#held !== undefined || this.#record !== undefined;
    return isHeld || this.#sent !== undefined || this.#failure !== undefined ? undefined : this.#revision;
  }

  /** Settles when all commits so far have ended, or were let go; undefined if none is pending. Held changes do not count. */
  get behind(): Promise<void> | undefined {
    return (this.#queue?.at(-1)?.done ?? this.#sent)?.promise;
  }

  #sendHeld(): void {
    const sent = this.#enqueue({});
    // A failure rejects all later commits.
    if (sent !== undefined) void handled(sent);
  }

  #enqueue(change: ChangeDraft): Promise<void> | undefined {
    if (this.#held !== undefined && !mayJoin(this.#held, change)) this.#sendHeld();
    const held = this.#held === undefined ? change : this.#withHeld(this.#held, change);
    const whole = this.#record === undefined ? held : this.#withRecord(this.#record, held);
    if (this.#sent !== undefined) return this.#line(whole);
    if (this.#isCommittedAtOnce(whole)) return undefined;
    return this.#send(whole, Promise.withResolvers<void>());
  }

  /** Queues a change until the commit in progress has ended. */
  #line(whole: ChangeDraft): Promise<void> {
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

  /**
   * Commits to a store in memory synchronously. Returns false for other stores, and after a failure: the change is then
   * sent as usual.
   */
  #isCommittedAtOnce(change: ChangeDraft): boolean {
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

  /**
   * Starts a commit. After a failure nothing more is sent, because the revision is unknown, or a record is missing: all later
   * commits reject with the first error.
   */
  #send(change: ChangeDraft, done: PromiseWithResolvers<void>): Promise<void> {
    this.#sent = done;
    if (this.#failure === undefined) {
      this.#commit(change);
    } else {
      this.#failed(this.#failure.error);
    }
    return done.promise;
  }

  /** Handles stores that throw synchronously or return a plain number. */
  #commit(change: ChangeDraft): void {
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

  /** Starts the next commit. Returns the promise of the previous one. */
  #sendNext(): PromiseWithResolvers<void> | undefined {
    const sent = this.#sent;
    this.#sent = undefined;
    this.#silence = undefined;
    const next = this.#queue?.shift();
    if (next === undefined) this.#stopHurrying();
    else void this.#send(next.change, next.done);
    return sent;
  }

  #stopHurrying(): void {
    clearTimeout(this.#hurry);
    this.#hurry = undefined;
  }

  /** Notes that the store does not answer. Returns the error that commits reject with until it does. */
  #noteSilence(): ShallotError {
    this.#silence ??= new ShallotError('STORE_FAILED', {
      message: `Session "${this.#id}" may not be saved: the store has not answered within ${storeGraceMs} ms after the run was stopped. If it never does, the claim expires and the run can be resumed.`,
      // It may answer the next time. A worker takes what is not transient for a refusal, and waits longer each time.
      transient: true,
    });
    return this.#silence;
  }

  static #sendAtEndOfTick(queue: CommitQueue): void {
    CommitQueue.#due.add(queue);
    if (CommitQueue.#isTimerSet) return;
    CommitQueue.#isTimerSet = true;
    startTimer(() => {
      CommitQueue.#isTimerSet = false;
      for (const each of CommitQueue.#due) {
        CommitQueue.#due.delete(each);
        each.#sendHeld();
      }
    });
  }

  #withRecord(make: () => RunRecord, change: ChangeDraft): ChangeDraft {
    this.#record = undefined;
    // The timer would send a commit without a change.
    CommitQueue.#due.delete(this);
    if (change.run !== undefined) return change;
    try {
      return { ...change, run: make() };
    } catch (error) {
      // Nothing more is committed: this commit and all later ones reject with this error.
      this.#failure ??= { error };
      return change;
    }
  }

  #withHeld(held: MutableDraft, change: ChangeDraft): ChangeDraft {
    this.#held = undefined;
    CommitQueue.#due.delete(this);
    join(held, change);
    return held;
  }
}

/**
 * Captured here, because with the fake timers of a test the timer of all queues might never fire, and nothing would be
 * sent again.
 */
const startTimer = setImmediate;

/** Rejects the callers of a commit. Returns a new promise for its actual outcome. */
function renewed(done: PromiseWithResolvers<void>, reason: unknown): PromiseWithResolvers<void> {
  done.reject(reason);
  const fresh = Promise.withResolvers<void>();
  void handled(fresh.promise);
  return fresh;
}
