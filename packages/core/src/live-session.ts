import { newClaim } from './claim.ts';
import { addCallIds, callIdsOf, rememberCallIds } from './call-ids.ts';
import { isShallotError, messageOf, ShallotError } from './errors.ts';
import { MessageLog } from './message-log.ts';
import type { Message } from './messages.ts';
import type {
  Claim,
  JournalEntry,
  RunRecord,
  SessionChange,
  SessionRecord,
  StateEntry,
  StateRecord,
  Store,
} from './store.ts';

type MutableChange = { -readonly [K in keyof SessionChange]: SessionChange[K] };

/** A change that waits for its turn, with those who wait for it. */
interface Batch {
  readonly change: MutableChange;
  readonly done: PromiseWithResolvers<void>;
}

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
  #dirtyState: Record<string, Record<string, StateEntry>> | undefined;
  #revision: number;
  #claim: Claim | undefined;
  #sending = false;
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

  /** The ids that tool calls of this session have had; put together when a model first calls a tool. */
  get callIds(): ReadonlySet<string> {
    this.#callIds ??= callIdsOf(this.messages);
    return this.#callIds;
  }

  /** Takes the session for one run, together with its first change. @throws `STORE_CONFLICT` */
  claim(owner: string, leaseMs: number, change: SessionChange): Promise<void> {
    this.#claim = newClaim(owner, leaseMs);
    return this.commit({ ...change, claim: this.#claim });
  }

  /** Gives the session back, together with the last change of the run. */
  release(change: SessionChange): Promise<void> {
    this.#claim = undefined;
    const released = this.commit({ ...change, claim: null });
    const last = this.messages.at(-1);
    if (this.#callIds !== undefined && last !== undefined) rememberCallIds(last, this.#callIds);
    return released;
  }

  /** Prolongs the claim. False when it is not this run's any more. */
  async renew(leaseMs: number): Promise<boolean> {
    if (this.#claim === undefined) return true;
    this.#claim = newClaim(this.#claim.owner, leaseMs);
    return this.#store.renew(this.id, this.#claim);
  }

  journalled(key: string): JournalEntry | undefined {
    return this.#journal.get(key);
  }

  /** The change that drops the entries whose keys begin like this; all of them without a prefix. */
  clearedJournal(prefix = ''): Record<string, JournalEntry | null> {
    const cleared: Record<string, null> = {};
    for (const key of this.#journal.keys()) if (key.startsWith(prefix)) cleared[key] = null;
    return cleared;
  }

  stateEntry(plugin: string, key: string): StateEntry | undefined {
    return this.#state.get(plugin)?.get(key);
  }

  /** All session-scoped state, as it is now. */
  stateRecord(): StateRecord {
    return Object.fromEntries([...this.#state].map(([plugin, keys]) => [plugin, Object.fromEntries(keys)]));
  }

  /** Sets session-scoped state; it goes out with the next commit. */
  setState(plugin: string, key: string, entry: StateEntry): void {
    const keys = this.#state.get(plugin) ?? new Map<string, StateEntry>();
    this.#state.set(plugin, keys.set(key, entry));
    this.#dirtyState ??= {};
    this.#dirtyState[plugin] = { ...this.#dirtyState[plugin], [key]: entry };
  }

  /** Turns the messages into others; only what differs is written. */
  replaceMessages(messages: readonly Message[]): Promise<void> {
    const old = this.#log.view;
    const most = Math.min(old.length, messages.length);
    let from = 0;
    while (from < most && old[from] === messages[from]) from += 1;
    let tail = 0;
    while (tail < most - from && old.at(-1 - tail) === messages.at(-1 - tail)) tail += 1;
    const replaced = { from, to: old.length - tail, messages: messages.slice(from, messages.length - tail) };
    if (replaced.from === replaced.to && replaced.messages.length === 0) return Promise.resolve();
    return this.commit({ replace: [replaced] });
  }

  /** Applies a change here at once, and to the store in its turn; resolves when the store has it. */
  commit(change: SessionChange): Promise<void> {
    for (const { from, to, messages } of change.replace ?? []) this.#log.replace(from, to, messages);
    if (change.append !== undefined) {
      this.#log.append(change.append);
      if (this.#callIds !== undefined) for (const message of change.append) addCallIds(this.#callIds, message);
    }
    if (change.journal !== undefined) this.#applyToJournal(change.journal);
    const waiting = this.#queue.at(-1);
    if (waiting !== undefined && mayJoin(waiting.change, change)) {
      join(waiting.change, change);
      return waiting.done.promise;
    }
    const batch: Batch = { change: { ...change }, done: Promise.withResolvers<void>() };
    this.#queue.push(batch);
    if (!this.#sending) void this.#send();
    return batch.done.promise;
  }

  /** Sends what waits, in order. After a failure nothing more is sent: the store knows better than this object. */
  async #send(): Promise<void> {
    this.#sending = true;
    for (let batch = this.#queue.shift(); batch !== undefined; batch = this.#queue.shift()) {
      try {
        if (this.#failure !== undefined) throw this.#failure.error;
        this.#revision = await this.#store.commit(this.id, this.#revision, this.#withState(batch.change));
        batch.done.resolve();
      } catch (error) {
        this.#failure ??= { error: storeError(this.id, error) };
        batch.done.reject(this.#failure.error);
      }
    }
    this.#sending = false;
  }

  #withState(change: MutableChange): SessionChange {
    if (this.#dirtyState === undefined) return change;
    change.state = this.#dirtyState;
    this.#dirtyState = undefined;
    return change;
  }

  #applyToJournal(entries: NonNullable<SessionChange['journal']>): void {
    for (const [key, entry] of Object.entries(entries)) {
      if (entry === null) this.#journal.delete(key);
      else this.#journal.set(key, entry);
    }
  }
}

function storeError(session: string, error: unknown): unknown {
  if (isShallotError(error)) return error;
  const message = `Session "${session}" could not be kept: ${messageOf(error)}`;
  return new ShallotError('STORE_FAILED', { message, cause: error });
}

/** A replacement counts from the messages as they were committed before it, so nothing may stand between. */
function mayJoin(waiting: SessionChange, change: SessionChange): boolean {
  return change.replace === undefined || (waiting.append === undefined && waiting.replace === undefined);
}

function join(waiting: MutableChange, change: SessionChange): void {
  const { append, journal, ...rest } = change;
  if (append !== undefined) waiting.append = [...(waiting.append ?? []), ...append];
  if (journal !== undefined) waiting.journal = { ...waiting.journal, ...journal };
  Object.assign(waiting, rest);
}

function toStateMaps(state: StateRecord = {}): Map<string, Map<string, StateEntry>> {
  return new Map(Object.entries(state).map(([plugin, keys]) => [plugin, new Map(Object.entries(keys))]));
}
