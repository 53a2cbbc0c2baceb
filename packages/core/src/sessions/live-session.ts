import { endClaim, newClaim, type Claim } from '../base/claim.ts';
import { ShallotError } from '../base/errors.ts';
import type { Wait } from '../base/wait.ts';
import type { Message } from '../contract/messages.ts';
import type { JournalEntry, RunRecord, StateEntry, StateRecord, Store } from '../contract/store.ts';
import { CommitQueue } from './commit-queue.ts';
import type { JournalChange, LiveChange } from './journal-change.ts';
import { Journal } from './journal.ts';
import type { KnownSession } from './known-session.ts';
import { changedRange, MessageLog } from './messages/message-log.ts';

/** A session while a run works on it: messages, journal and plugin state in memory, and the queue of its commits. */
export class LiveSession {
  readonly id: string;
  /** The last run as the store has it: the one that a resume continues. */
  readonly lastRun: RunRecord | undefined;
  readonly #log: MessageLog;
  /** Made when something is journalled: most runs of a conversation call no tool. */
  #journal: Journal | undefined;
  /** Made when a plugin keeps something. */
  #state: Map<string, Map<string, StateEntry>> | undefined;
  readonly #store: Store;
  readonly #commits: CommitQueue;
  #claim: Claim | undefined;
  /** The run as it was committed last. */
  #run: RunRecord | undefined;
  readonly #weight: KnownSession['weight'];

  constructor(store: Store, id: string, record: KnownSession | undefined) {
    this.id = id;
    this.lastRun = record?.run;
    this.#run = record?.run;
    this.#weight = record?.weight;
    this.#log = record?.log.fork() ?? MessageLog.of();
    if (record !== undefined) {
      const { journal, state } = record;
      if (Object.keys(journal).length > 0) this.#journal = new Journal(journal);
      if (Object.keys(state).length > 0) this.#state = toStateMaps(state);
    }
    this.#store = store;
    this.#commits = new CommitQueue(store, id, record?.revision ?? 0);
  }

  /** The messages as they are now: one frozen array until something changes. */
  get messages(): readonly Message[] {
    return this.#log.view;
  }

  get length(): number {
    return this.#log.length;
  }

  get last(): Message | undefined {
    return this.#log.at(-1);
  }

  at(index: number): Message | undefined {
    return this.#log.at(index);
  }

  /** The messages from a position on. Costs what is given, not what is there. */
  messagesFrom(index: number): readonly Message[] {
    return this.#log.copy(index);
  }

  /** The position of the last message that fits, or -1. */
  findLast(fits: (message: Message) => boolean): number {
    return this.#log.findLast(fits);
  }

  /** The last message of the model with what came after it; nothing when it never answered. */
  lastTurn(): readonly Message[] {
    const index = this.#log.findLast((message) => message.role === 'assistant');
    return index === -1 ? [] : this.#log.copy(index);
  }

  /** Whether a tool call of this session has had this id; looked for when a model first calls a tool. */
  hasCall(id: string): boolean {
    return this.#log.hasCall(id);
  }

  /** Takes the session for one run, together with its first change. @throws `STORE_CONFLICT` */
  claim(owner: string, leaseMs: number, change: LiveChange): Promise<void> | undefined {
    const claim = newClaim(owner, leaseMs);
    this.#claim = claim;
    // What was refused may be in the store all the same: a disk can fail after it has written.
    return this.#endUnless(claim, this.commit({ ...change, claim }));
  }

  /** Gives the session back, together with the last change of the run. */
  release(change: LiveChange): Promise<void> | undefined {
    const claim = this.#claim;
    this.#claim = undefined;
    return this.#endUnless(claim, this.commit({ ...change, claim: null }));
  }

  /** Whether the claim may be somebody else's by now: the process slept, or the store was away, for longer than it holds. */
  get isClaimLapsed(): boolean {
    return this.#claim !== undefined && Date.now() >= this.#claim.expiresAt;
  }

  /** Prolongs the claim. Whether the run is to be stopped. @throws `STORE_CONFLICT` when it is not this run's any more */
  async renew(leaseMs: number): Promise<boolean> {
    if (this.#claim === undefined) return false;
    const claim = newClaim(this.#claim.owner, leaseMs);
    const renewed = await this.#store.renew(this.id, claim);
    // The run may have ended meanwhile.
    if (this.#claim === undefined) return false;
    this.#claim = renewed === false ? { ...claim, expiresAt: 0 } : claim;
    if (renewed !== false) return renewed === 'stop';
    const message = `The claim on session "${this.id}" was lost: another process took it over.`;
    throw new ShallotError('STORE_CONFLICT', { message });
  }

  /** A claim that could not be made or given back must not keep this process out until it lapses. */
  #endUnless(claim: Claim | undefined, committed: Promise<void> | undefined): Promise<void> | undefined {
    return committed?.catch((error: unknown) => {
      if (claim !== undefined) endClaim(claim);
      throw error;
    });
  }

  journalled(key: string): JournalEntry | undefined {
    return this.#journal?.get(key);
  }

  /** What is journalled of the last execution of a call: that it began, or what came of it. */
  lastExecution(callId: string): ReturnType<Journal['lastExecution']> {
    return this.#journal?.lastExecution(callId);
  }

  /** The change that drops the journal. */
  clearedJournal(): Pick<LiveChange, 'journal'> {
    const journal = this.#journal?.cleared();
    return journal === undefined ? nothing : { journal };
  }

  /** The change that drops what is journalled of a call on its way. */
  clearedCall(callId: string): JournalChange {
    return this.#journal?.clearedCall(callId) ?? [];
  }

  get hasState(): boolean {
    return this.#state !== undefined;
  }

  /** The ids of the plugins that have state in the session. */
  get stateOwners(): readonly string[] {
    return [...(this.#state?.keys() ?? [])];
  }

  stateEntry(plugin: string, key: string): StateEntry | undefined {
    return this.#state?.get(plugin)?.get(key);
  }

  /** Sets session-scoped state; it goes out with the next commit. */
  setState(plugin: string, key: string, entry: StateEntry): void {
    this.#state ??= new Map();
    const keys = this.#state.get(plugin) ?? new Map<string, StateEntry>();
    this.#state.set(plugin, keys.set(key, entry));
    this.#commits.hold({ state: { [plugin]: { [key]: entry } } });
  }

  /** The change that turns the messages into others: only what differs; undefined if nothing does. */
  replacing(messages: readonly Message[]): LiveChange | undefined {
    const old = this.#log.view;
    const { from, tail } = changedRange(old, messages);
    const replaced = { from, to: old.length - tail, messages: messages.slice(from, messages.length - tail) };
    const isSame = replaced.from === replaced.to && replaced.messages.length === 0;
    return isSame ? undefined : { replace: [replaced] };
  }

  /** Applies a change here at once, and to the store together with the next commit. */
  hold(change: LiveChange): void {
    this.#apply(change);
    this.#commits.hold(change);
  }

  /**
   * Applies a change here at once, and to the store with the next commit, or when a turn of the event loop has passed: for
   * what nobody waits for. That it failed is told to the next who commits.
   */
  commitSoon(change: LiveChange): void {
    this.#apply(change);
    this.#commits.soon(change);
  }

  /** Applies a change here at once, and to the store in its turn; resolves when the store has it, undefined if it has it already. */
  commit(change: LiveChange): Promise<void> | undefined {
    this.#apply(change);
    return this.#commits.commit(change);
  }

  /** Nobody waits any longer for what is under way: see `CommitQueue`. */
  letGo(reason: unknown): void {
    this.#commits.letGo(reason);
  }

  /** Lets go those who wait, unless the store settles soon. */
  hurry(reason: unknown): void {
    this.#commits.hurry(reason);
  }

  /** The commit that is waited for, if one is. */
  get committing(): Wait | undefined {
    return this.#commits.committing;
  }

  /** Settles when the store has all that it was given; undefined when it has. */
  get behind(): Promise<void> | undefined {
    return this.#commits.behind;
  }

  /** What there is to know of the session, when the store has all of it. */
  known(): KnownSession | undefined {
    const { revision } = this.#commits;
    if (revision === undefined) return undefined;
    const weight = this.#weight;
    return {
      id: this.id,
      revision,
      log: this.#log.fork(),
      state: this.#state === undefined ? nothing : toStateRecord(this.#state),
      journal: this.#journal?.toRecord() ?? nothing,
      run: this.#run,
      weight: weight !== undefined && weight.messages <= this.#log.untouched ? weight : undefined,
    };
  }

  #apply({ replace, append, journal, run }: LiveChange): void {
    if (run !== undefined) this.#run = run;
    if (replace !== undefined)
      for (const { from, to, messages } of replace) this.#log.replace(from, to, messages);
    if (append !== undefined) this.#log.append(append);
    if (journal !== undefined) {
      this.#journal ??= new Journal();
      this.#journal.apply(journal);
    }
  }
}

const nothing = Object.freeze({});

function toStateMaps(state: StateRecord): Map<string, Map<string, StateEntry>> {
  return new Map(Object.entries(state).map(([plugin, keys]) => [plugin, new Map(Object.entries(keys))]));
}

/** `fromEntries` defines its members, so that a key of `__proto__` is one like any other. */
function toStateRecord(state: ReadonlyMap<string, ReadonlyMap<string, StateEntry>>): StateRecord {
  return Object.fromEntries(Array.from(state, ([plugin, keys]) => [plugin, Object.fromEntries(keys)]));
}
