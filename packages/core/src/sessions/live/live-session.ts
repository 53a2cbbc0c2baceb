import { endClaim, newClaim } from '../../base/claim.ts';
import { ShallotError } from '../../base/errors.ts';
import type { Wait } from '../../base/wait.ts';
import type { Message } from '../../contract/messages.ts';
import type {
  ConfiguredPlugins,
  JournalEntry,
  RunRecord,
  SessionAbout,
  StateEntry,
  Store,
} from '../../contract/store.ts';
import type { InboxEntry, InboxFilter } from '../../contract/work/inbox.ts';
import type { JournalEdits, ChangeDraft } from '../content/change-draft.ts';
import type { Journal } from '../content/journal.ts';
import type { KnownSession } from '../content/known-session.ts';
import { changedRange } from '../content/message-log.ts';
import { SessionContent } from '../content/session-content.ts';
import { inboxInMemory } from '../stores/memory-store.ts';
import { CommitQueue } from './commit-queue.ts';
import { HeldClaim } from './held-claim.ts';

/** A session while a run works on it: its content in memory, its claim, and the queue of its commits. */
export class LiveSession {
  readonly id: string;
  /** True if the store had no such session. */
  readonly isNew: boolean;
  /** The last run in the store, which a resume continues. */
  readonly lastRun: RunRecord | undefined;
  readonly #content: SessionContent;
  readonly #store: Store;
  readonly #commits: CommitQueue;
  /** The session of the run around a child. */
  readonly #parent: LiveSession | undefined;
  #claim: HeldClaim | undefined;
  #fence = 0;

  /** Takes over the content of `known`; without it, the session is new. */
  constructor(store: Store, id: string, known: KnownSession | undefined, parent?: LiveSession) {
    this.id = id;
    this.#content = known?.content ?? new SessionContent();
    this.isNew = known === undefined;
    this.lastRun = known?.content.run;
    this.#store = store;
    this.#parent = parent;
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

  /** Returns the index of the last matching message, or -1. */
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
    const claim = newClaim(owner, leaseMs, this.#parent?.rootId);
    const held = new HeldClaim(this.#store, this.id, claim, leaseMs);
    this.#claim = held;
    const committed = this.commit({ ...change, claim });
    if (committed === undefined) {
      this.#fence = this.#commits.lastRevision;
      return undefined;
    }
    // Even a rejected commit may have reached the store, for example if a disk fails after writing.
    return endUnless(held, committed).then(() => {
      this.#fence = this.#commits.lastRevision;
    });
  }

  /** Commits the end of the claim together with the last change of the run. */
  release(change: ChangeDraft): Promise<void> | undefined {
    const held = this.#claim;
    this.#claim = undefined;
    const committed = this.commit({ ...change, claim: null });
    return committed && endUnless(held, committed);
  }

  /** The revision of the commit that claimed the session; later claims have larger ones. */
  get fence(): number {
    return this.#fence;
  }

  /** The id of the session at the root of the tree of runs. */
  get rootId(): string {
    return this.#parent?.rootId ?? this.id;
  }

  /** True while this run and the runs around it hold their claims, as far as this process can know. */
  get isHeld(): boolean {
    return this.#claim?.isHeld === true && this.#parent?.isHeld !== false;
  }

  get isRenewing(): boolean {
    return this.#claim?.isRenewing === true;
  }

  /** True once the claim was released. */
  get isReleased(): boolean {
    return this.#claim === undefined;
  }

  /**
   * Renews the claim, after a lapsed claim of a run around it. Returns true if a stop of the run was requested. @throws
   * `STORE_CONFLICT`, and `RUN_ENDED` after the release
   */
  async renew(): Promise<boolean> {
    if (this.#claim === undefined) throw new ShallotError('RUN_ENDED', { message: 'The run has ended.' });
    if (this.#parent?.isHeld === false) await this.#parent.renew();
    return this.#claim.renew();
  }

  journalled(key: string): JournalEntry | undefined {
    return this.#content.journal?.get(key);
  }

  /** Returns the entries of a call's executions, by ordinal; undefined without a journal. */
  executions(callId: string): ReturnType<Journal['executions']> | undefined {
    return this.#content.journal?.executions(callId);
  }

  /** Returns the entry of a call's last execution, its intent or its raw result; undefined if there is none. */
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

  /** Changes the title without a new revision. Returns false if the store has not changed it. */
  async setTitle(title: string): Promise<boolean> {
    const isSet = (await this.#store.setTitle?.(this.id, title)) ?? false;
    if (isSet) this.#content.apply({ about: Object.freeze({ ...this.#content.about, title }) });
    return isSet;
  }

  /**
   * Holds and returns the entries that this run may take; `unsend` refuses them from then on. Returns a promise only if
   * the store is asynchronous.
   */
  holdSent(run: string): readonly InboxEntry[] | Promise<readonly InboxEntry[]> {
    const filter = { run, hold: true } as const;
    return inboxInMemory(this.#store, this.id, filter) ?? this.#store.inbox?.(this.id, filter) ?? none;
  }

  /** Returns entries of the session's inbox. */
  async sent(filter: InboxFilter): Promise<readonly InboxEntry[]> {
    return (await this.#store.inbox?.(this.id, filter)) ?? none;
  }

  /** All entries of the session's inbox if the store is in memory; undefined for any other store. */
  get unreadInMemory(): readonly InboxEntry[] | undefined {
    return inboxInMemory(this.#store, this.id, {});
  }

  /** Returns all entries of the session's inbox. */
  async unread(): Promise<readonly InboxEntry[]> {
    return (await this.#store.inbox?.(this.id)) ?? none;
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

  /** The plugins of the last run. */
  get plugins(): ConfiguredPlugins {
    return this.#content.plugins;
  }

  /** Notes the plugins of the run; the next commit includes them if they have changed. */
  notePlugins(plugins: ConfiguredPlugins): void {
    const change = this.#content.pluginsChange(plugins);
    if (change !== undefined) this.hold(change);
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
   * Commits the record of the run like `commitSoon`. The record is only made if no other commit stores one before the end
   * of the tick.
   */
  recordSoon(make: () => RunRecord): void {
    this.#commits.recordSoon(make);
  }

  /**
   * Applies a change in memory and commits it. Resolves when the store has it; returns undefined if the store already has
   * it.
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
const none: readonly never[] = Object.freeze([]);

/**
 * Ends the local record of a claim whose commit failed, so that this process can claim the session again before the lease
 * expires.
 */
function endUnless(held: HeldClaim | undefined, committed: Promise<void>): Promise<void> {
  return committed.catch((error: unknown) => {
    if (held !== undefined) endClaim(held.claim);
    throw error;
  });
}
