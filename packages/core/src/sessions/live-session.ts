import { endClaim, newClaim, type Claim } from '../base/claim.ts';
import { ShallotError } from '../base/errors.ts';
import { handled } from '../base/handled.ts';
import { inTime } from '../base/in-time.ts';
import type { Wait } from '../base/wait.ts';
import type { Message } from '../contract/messages.ts';
import type {
  JournalEntry,
  RunRecord,
  SessionChange,
  SessionRecord,
  StateEntry,
  StateRecord,
  Store,
} from '../contract/store.ts';
import { addCallIds } from './call-ids.ts';
import { journalChange } from './journal-change.ts';
import { callPrefix } from './journal-keys.ts';
import { MessageLog } from './message-log.ts';
import { storeError } from './store-error.ts';

type StateChange = NonNullable<SessionChange['state']>;
type MutableChange = { -readonly [K in keyof SessionChange]: SessionChange[K] };

/** A change that waits for its turn, with those who wait for it. */
interface Batch {
  readonly change: MutableChange;
  done: PromiseWithResolvers<void>;
}

/** How long a store may take for a commit, in milliseconds, once the run was stopped: who stops it waits for no more. */
export const storeGraceMs = 2000;

/**
 * A session while a run works on it: messages, journal and plugin state in memory, and one queue of commits. What is
 * committed while a commit is under way goes out together in the next one.
 */
export class LiveSession {
  readonly id: string;
  /** The last run as the store has it: the one that a resume continues. */
  readonly lastRun: RunRecord | undefined;
  readonly #log: MessageLog;
  readonly #journal: Map<string, JournalEntry>;
  readonly #state: Map<string, Map<string, StateEntry>>;
  readonly #store: Store;
  readonly #queue: Batch[] = [];
  /** What goes out with the next commit. */
  #held: MutableChange | undefined;
  #dirtyState: Record<string, Record<string, StateEntry>> | undefined;
  #revision: number;
  #claim: Claim | undefined;
  /** The commit that the store is at work on. */
  #sent: PromiseWithResolvers<void> | undefined;
  #isStopped = false;
  #hurry: NodeJS.Timeout | undefined;
  /** Set when the store was too slow for a run that was stopped, until it has done something. */
  #silence: ShallotError | undefined;
  #callIds: Set<string> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(store: Store, id: string, record: SessionRecord | undefined) {
    this.id = id;
    this.lastRun = record?.run;
    this.#log = new MessageLog(record?.messages);
    this.#journal = new Map(record === undefined ? [] : Object.entries(record.journal));
    this.#state = toStateMaps(record?.state);
    this.#store = store;
    this.#revision = record?.revision ?? 0;
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

  /** The ids that tool calls of this session have had; put together when a model first calls a tool. */
  get callIds(): ReadonlySet<string> {
    if (this.#callIds === undefined) {
      const ids = new Set<string>();
      for (let index = 0; index < this.#log.length; index += 1)
        addCallIds(ids, this.#log.at(index) as Message);
      this.#callIds = ids;
    }
    return this.#callIds;
  }

  /** Takes the session for one run, together with its first change. @throws `STORE_CONFLICT` */
  claim(owner: string, leaseMs: number, change: SessionChange): Promise<void> {
    const claim = newClaim(owner, leaseMs);
    this.#claim = claim;
    // What was refused may be in the store all the same: a disk can fail after it has written.
    return this.#endUnless(claim, this.commit({ ...change, claim }));
  }

  /** Gives the session back, together with the last change of the run. */
  release(change: SessionChange): Promise<void> {
    const claim = this.#claim;
    this.#claim = undefined;
    const released = this.commit({ ...change, claim: null });
    return claim === undefined ? released : this.#endUnless(claim, released);
  }

  /** Whether the claim may be somebody else's by now: the process slept, or the store was away, for longer than it holds. */
  get isClaimLapsed(): boolean {
    return this.#claim !== undefined && Date.now() >= this.#claim.expiresAt;
  }

  /** Prolongs the claim. @throws `STORE_CONFLICT` when it is not this run's any more */
  async renew(leaseMs: number): Promise<void> {
    if (this.#claim === undefined) return;
    const claim = newClaim(this.#claim.owner, leaseMs);
    const isRenewed = await this.#store.renew(this.id, claim);
    // The run may have ended meanwhile.
    if (this.#claim === undefined) return;
    this.#claim = isRenewed ? claim : { ...claim, expiresAt: 0 };
    if (isRenewed) return;
    const message = `The claim on session "${this.id}" was lost: another process has taken it over.`;
    throw new ShallotError('STORE_CONFLICT', { message });
  }

  /** A claim that could not be made or given back must not keep this process out until it lapses. */
  #endUnless(claim: Claim, committed: Promise<void>): Promise<void> {
    return committed.catch((error: unknown) => {
      endClaim(claim);
      throw error;
    });
  }

  journalled(key: string): JournalEntry | undefined {
    return this.#journal.get(key);
  }

  /** What is journalled of the last execution of a call: that it began, or what came of it. */
  lastExecution(callId: string): (JournalEntry & { type: 'intent' | 'raw' }) | undefined {
    const prefix = callPrefix(callId);
    let last: (JournalEntry & { type: 'intent' | 'raw' }) | undefined;
    let latest = 0;
    for (const [key, entry] of this.#journal) {
      if (!key.startsWith(prefix) || (entry.type !== 'intent' && entry.type !== 'raw')) continue;
      // Stores give the journal in any order.
      const ordinal = Number(key.slice(prefix.length));
      if (ordinal > latest) [last, latest] = [entry, ordinal];
    }
    return last;
  }

  /** The change that drops the entries whose keys begin like this; all of them without a prefix. */
  clearedJournal(prefix = ''): { readonly journal?: Record<string, null> } {
    if (this.#journal.size === 0) return nothing;
    const journal = journalChange<null>();
    for (const key of this.#journal.keys()) if (key.startsWith(prefix)) journal[key] = null;
    return { journal };
  }

  /** The ids of the plugins that have state in the session. */
  get stateOwners(): readonly string[] {
    return [...this.#state.keys()];
  }

  stateEntry(plugin: string, key: string): StateEntry | undefined {
    return this.#state.get(plugin)?.get(key);
  }

  /** Sets session-scoped state; it goes out with the next commit. */
  setState(plugin: string, key: string, entry: StateEntry): void {
    const keys = this.#state.get(plugin) ?? new Map<string, StateEntry>();
    this.#state.set(plugin, keys.set(key, entry));
    this.#dirtyState ??= {};
    this.#dirtyState[plugin] = { ...this.#dirtyState[plugin], [key]: entry };
  }

  /** The change that turns the messages into others: only what differs; undefined if nothing does. */
  replacing(messages: readonly Message[]): SessionChange | undefined {
    const old = this.#log.view;
    const most = Math.min(old.length, messages.length);
    let from = 0;
    while (from < most && old[from] === messages[from]) from += 1;
    let tail = 0;
    while (tail < most - from && old.at(-1 - tail) === messages.at(-1 - tail)) tail += 1;
    const replaced = { from, to: old.length - tail, messages: messages.slice(from, messages.length - tail) };
    const isSame = replaced.from === replaced.to && replaced.messages.length === 0;
    return isSame ? undefined : { replace: [replaced] };
  }

  /** Applies a change here at once, and to the store together with the next commit. */
  hold(change: SessionChange): void {
    this.#apply(change);
    this.#held ??= {};
    join(this.#held, change);
  }

  /** Applies a change here at once, and to the store in its turn; resolves when the store has it. */
  commit(change: SessionChange): Promise<void> {
    const committed = this.#enqueue(change);
    if (!this.#isStopped) return committed;
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
    for (const batch of this.#queue) batch.done = renewed(batch.done, reason);
  }

  /** Lets go those who wait, unless the store settles soon. */
  hurry(reason: unknown): void {
    if (this.#sent === undefined) return;
    this.#hurry ??= setTimeout(() => this.letGo(reason), storeGraceMs);
  }

  /** The commit that is waited for, if one is. */
  get committing(): Wait | undefined {
    if (this.#sent === undefined) return undefined;
    return { by: this, what: `the store to commit session "${this.id}"`, since: this.#revision };
  }

  /** Settles when the store has all that it was given; undefined when it has. */
  get behind(): Promise<void> | undefined {
    return (this.#queue.at(-1)?.done ?? this.#sent)?.promise;
  }

  #enqueue(change: SessionChange): Promise<void> {
    this.#apply(change);
    const whole = this.#withState(this.#withHeld(change));
    if (this.#sent === undefined) return this.#send(whole, Promise.withResolvers<void>());
    const waiting = this.#queue.at(-1);
    if (waiting !== undefined && mayJoin(waiting.change, whole)) {
      join(waiting.change, whole);
      return waiting.done.promise;
    }
    const batch: Batch = { change: { ...whole }, done: Promise.withResolvers<void>() };
    this.#queue.push(batch);
    return batch.done.promise;
  }

  #apply({ replace, append, journal }: SessionChange): void {
    if (replace !== undefined)
      for (const { from, to, messages } of replace) this.#log.replace(from, to, messages);
    if (replace !== undefined && this.#callIds !== undefined) {
      for (const { messages } of replace) for (const message of messages) addCallIds(this.#callIds, message);
    }
    if (append !== undefined) {
      this.#log.append(append);
      if (this.#callIds !== undefined) for (const message of append) addCallIds(this.#callIds, message);
    }
    if (journal !== undefined) {
      for (const key of Object.keys(journal)) {
        const entry = journal[key];
        if (entry) this.#journal.set(key, entry);
        else this.#journal.delete(key);
      }
    }
  }

  /** Sends a change, then what has come to wait. After a failure nothing more is sent: the store knows better. */
  #send(change: SessionChange, done: PromiseWithResolvers<void>): Promise<void> {
    this.#sent = done;
    if (this.#failure === undefined) {
      this.#commit(change).then(this.#committed, this.#failed);
    } else {
      this.#failed(this.#failure.error);
    }
    return done.promise;
  }

  /** An async function, so that a store that throws at once rejects like any other. */
  async #commit(change: SessionChange): Promise<number> {
    return this.#store.commit(this.id, this.#revision, change);
  }

  readonly #committed = (revision: number): void => {
    this.#revision = revision;
    this.#sendNext()?.resolve();
  };

  readonly #failed = (error: unknown): void => {
    this.#failure ??= { error: storeError(this.id, 'kept', error) };
    const { error: failure } = this.#failure;
    this.#sendNext()?.reject(failure);
  };

  /** Gives what was under way until now. */
  #sendNext(): PromiseWithResolvers<void> | undefined {
    const sent = this.#sent;
    this.#sent = undefined;
    this.#silence = undefined;
    const next = this.#queue.shift();
    if (next === undefined) clearTimeout(this.#hurry);
    else void this.#send(next.change, next.done);
    return sent;
  }

  #silent(): ShallotError {
    this.#silence ??= new ShallotError('STORE_FAILED', {
      message: `Session "${this.id}" is not known to be kept: ${storeGraceMs} ms after the run was stopped the store has not answered. When it never does, the claim lapses, and the run can be resumed.`,
    });
    return this.#silence;
  }

  #withHeld(change: SessionChange): SessionChange {
    const held = this.#held;
    if (held === undefined) return change;
    this.#held = undefined;
    join(held, change);
    return held;
  }

  #withState(change: SessionChange): SessionChange {
    const state = this.#dirtyState;
    if (state === undefined) return change;
    this.#dirtyState = undefined;
    return { ...change, state };
  }
}

const nothing = Object.freeze({});

/** Rejects who waits, and gives what they would wait for from now on. */
function renewed(done: PromiseWithResolvers<void>, reason: unknown): PromiseWithResolvers<void> {
  done.reject(reason);
  const fresh = Promise.withResolvers<void>();
  void handled(fresh.promise);
  return fresh;
}

/** A replacement counts from the messages as they were committed before it, so nothing may stand between. */
function mayJoin(waiting: SessionChange, change: SessionChange): boolean {
  return change.replace === undefined || (waiting.append === undefined && waiting.replace === undefined);
}

function join(waiting: MutableChange, change: SessionChange): void {
  const { append, journal, state, ...rest } = change;
  if (append !== undefined) waiting.append = [...(waiting.append ?? []), ...append];
  if (journal !== undefined) waiting.journal = { ...waiting.journal, ...journal };
  if (state !== undefined) waiting.state = joinState(waiting.state, state);
  Object.assign(waiting, rest);
}

function joinState(waiting: StateChange = {}, state: StateChange): StateChange {
  const joined = { ...waiting };
  for (const plugin of Object.keys(state)) joined[plugin] = { ...joined[plugin], ...state[plugin] };
  return joined;
}

function toStateMaps(state: StateRecord = {}): Map<string, Map<string, StateEntry>> {
  return new Map(Object.entries(state).map(([plugin, keys]) => [plugin, new Map(Object.entries(keys))]));
}
