import { endClaim } from '../../base/claim.ts';
import { ShallotError } from '../../base/errors.ts';
import type { Wait } from '../../base/wait.ts';
import type { Message } from '../../contract/messages.ts';
import type { JournalEntry, RunRecord, SessionAbout, StateEntry, Store } from '../../contract/store.ts';
import type { JournalEdits, ChangeDraft } from '../content/change-draft.ts';
import type { Journal } from '../content/journal.ts';
import type { KnownSession } from '../content/known-session.ts';
import { changedRange } from '../content/message-log.ts';
import { SessionContent } from '../content/session-content.ts';
import { CommitQueue } from './commit-queue.ts';
import { HeldClaim } from './held-claim.ts';

/** A session while a run works on it: its content in memory, its claim, and the queue of its commits. */
export class LiveSession {
  readonly id: string;
  /** The last run in the store, which a resume continues. */
  readonly lastRun: RunRecord | undefined;
  readonly #content: SessionContent;
  readonly #store: Store;
  readonly #commits: CommitQueue;
  #claim: HeldClaim | undefined;
  #fence = 0;

  /** Takes over the content of `known`; without it, the session is new. */
  constructor(store: Store, id: string, known: KnownSession | undefined) {
    this.id = id;
    this.#content = known?.content ?? new SessionContent();
    this.lastRun = this.#content.run;
    this.#store = store;
    this.#commits = new CommitQueue(store, id, known?.revision ?? 0);
  }

  /** The messages as a frozen array; the same array until something changes. */
  get messages(): readonly Message[] {
    return this.#content.log.view;
  }

  get length(): number {
    return this.#content.log.length;
  }

  get last(): Message | undefined {
    return this.#content.log.at(-1);
  }

  at(index: number): Message | undefined {
    return this.#content.log.at(index);
  }

  /** Returns a new array of the messages from an index on. */
  messagesFrom(index: number): readonly Message[] {
    return this.#content.log.copy(index);
  }

  /** Returns the index of the last message that fits, or -1. */
  findLast(fits: (message: Message) => boolean): number {
    return this.#content.log.findLast(fits);
  }

  /** Returns the last message of the model with all messages after it; an empty list if there is none. */
  lastTurn(): readonly Message[] {
    const index = this.#content.log.findLast((message) => message.role === 'assistant');
    return index === -1 ? [] : this.#content.log.copy(index);
  }

  /** Returns true if a tool call of this session has had this id. */
  hasCall(id: string): boolean {
    return this.#content.log.hasCall(id);
  }

  /** Returns true if a message of this session has had this id. */
  hasMessage(id: string): boolean {
    return this.#content.log.hasMessage(id);
  }

  /** Returns true if another message of this session has had this message's id. */
  hasOther(message: Message): boolean {
    return this.#content.log.hasOther(message);
  }

  /** Commits the claim together with the first change of the run. @throws `STORE_CONFLICT` */
  claim(owner: string, leaseMs: number, change: ChangeDraft): Promise<void> | undefined {
    const held = new HeldClaim(this.#store, this.id, owner, leaseMs);
    this.#claim = held;
    const noteFence = (): void => {
      this.#fence = this.#commits.lastRevision;
    };
    // Even a rejected commit may have reached the store, for example if a disk fails after writing.
    const committed = endUnless(held, this.commit({ ...change, claim: held.claim }));
    if (committed !== undefined) return committed.then(noteFence);
    noteFence();
    return undefined;
  }

  /** Commits the end of the claim together with the last change of the run. */
  release(change: ChangeDraft): Promise<void> | undefined {
    const held = this.#claim;
    this.#claim = undefined;
    return endUnless(held, this.commit({ ...change, claim: null }));
  }

  /** The revision of the commit that claimed the session; later claims have larger ones. */
  get fence(): number {
    return this.#fence;
  }

  /** True while this run holds the claim, as far as its process can know. */
  get isHeld(): boolean {
    return this.#claim?.isHeld === true;
  }

  get isRenewing(): boolean {
    return this.#claim?.isRenewing === true;
  }

  /** True once the claim was released. */
  get isReleased(): boolean {
    return this.#claim === undefined;
  }

  /**
   * Renews the claim. Returns true if the run is asked to stop. @throws `STORE_CONFLICT`, and `RUN_ENDED` after the
   * release
   */
  async renew(): Promise<boolean> {
    if (this.#claim === undefined) throw new ShallotError('RUN_ENDED', { message: 'The run has ended.' });
    return this.#claim.renew();
  }

  journalled(key: string): JournalEntry | undefined {
    return this.#content.journal?.get(key);
  }

  /** Returns the entries of a call's executions, by ordinal. */
  executions(callId: string): ReturnType<Journal['executions']> | undefined {
    return this.#content.journal?.executions(callId);
  }

  /** Returns the entry of a call's last execution: its intent or its raw result. */
  lastExecution(callId: string): ReturnType<Journal['lastExecution']> {
    return this.#content.journal?.lastExecution(callId);
  }

  /** Returns the change that removes all journal entries. */
  clearedJournal(): Pick<ChangeDraft, 'journal'> {
    const journal = this.#content.journal?.cleared();
    return journal === undefined ? nothing : { journal };
  }

  /** Returns the change that removes the journal entries of a call in progress. */
  clearedCall(callId: string): JournalEdits {
    return this.#content.journal?.clearedCall(callId) ?? [];
  }

  /** Metadata of the session. */
  get about(): SessionAbout | undefined {
    return this.#content.about;
  }

  /** Changes the title, without a revision. Returns false if the store cannot. */
  async setTitle(title: string): Promise<boolean> {
    return (await this.#store.setTitle?.(this.id, title)) ?? false;
  }

  get hasState(): boolean {
    return this.#content.hasState;
  }

  /** The ids of the plugins that have session state. */
  get stateOwners(): readonly string[] {
    return this.#content.stateOwners;
  }

  stateEntry(plugin: string, key: string): StateEntry | undefined {
    return this.#content.stateEntry(plugin, key);
  }

  /** Sets session state; the next commit includes it. */
  setState(plugin: string, key: string, entry: StateEntry): void {
    this.hold({ state: { [plugin]: { [key]: entry } } });
  }

  /**
   * Returns the change from the current messages to these, limited to the range that differs; undefined if they are
   * equal.
   */
  replacing(messages: readonly Message[]): ChangeDraft | undefined {
    const old = this.#content.log.view;
    const { from, tail } = changedRange(old, messages);
    const replaced = { from, to: old.length - tail, messages: messages.slice(from, messages.length - tail) };
    const isSame = replaced.from === replaced.to && replaced.messages.length === 0;
    return isSame ? undefined : { replace: [replaced] };
  }

  /** Applies a change in memory; the next commit includes it. */
  hold(change: ChangeDraft): void {
    this.#content.apply(change);
    this.#commits.hold(change);
  }

  /**
   * Applies a change in memory, and commits it without waiting: with the next commit, or at the end of the current
   * tick. A failure rejects the next commit.
   */
  commitSoon(change: ChangeDraft): void {
    this.#content.apply(change);
    this.#commits.soon(change);
  }

  /**
   * Applies a change in memory and commits it. Resolves when the store has it; returns undefined if it has it already.
   */
  commit(change: ChangeDraft): Promise<void> | undefined {
    this.#content.apply(change);
    return this.#commits.commit(change);
  }

  /** Stops waiting for the store; see `CommitQueue`. */
  letGo(reason: unknown): void {
    this.#commits.letGo(reason);
  }

  /** Calls `letGo` unless the store settles soon. */
  hurry(reason: unknown): void {
    this.#commits.hurry(reason);
  }

  /** The wait for the store: for a commit, or for the renewal of an expired claim. */
  get storeWait(): Wait | undefined {
    return this.#commits.committing ?? this.#claim?.regaining;
  }

  /** Settles when the store has all changes sent so far; undefined if it has them. */
  get behind(): Promise<void> | undefined {
    return this.#commits.behind;
  }

  /** Returns the session for its next run; undefined unless the store has all changes. */
  known(): KnownSession | undefined {
    const { revision } = this.#commits;
    if (revision === undefined) return undefined;
    return { id: this.id, revision, content: this.#content.fork() };
  }
}

const nothing = Object.freeze({});

/**
 * Ends the local record of a claim if its commit failed, so that this process can claim the session again before the
 * lease expires.
 */
function endUnless(
  held: HeldClaim | undefined,
  committed: Promise<void> | undefined,
): Promise<void> | undefined {
  return committed?.catch((error: unknown) => {
    if (held !== undefined) endClaim(held.claim);
    throw error;
  });
}
