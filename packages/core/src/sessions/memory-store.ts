import { isClaimLive, type Claim } from '../base/claim.ts';
import {
  recordFormat,
  type JournalEntry,
  type RunRecord,
  type SessionFilter,
  type SessionRecord,
  type SessionSummary,
  type StateEntry,
  type Store,
} from '../contract/store.ts';
import { checkClaim, checkReplace, checkRevision } from './commit-checks.ts';
import { dueAt, keepsStop, statusOf } from './due-at.ts';
import { openInterrupts } from './interrupts.ts';
import { fromStored, type JournalChange, type LiveChange } from './journal-change.ts';
import type { KnownSession } from './known-session.ts';
import { MessageLog } from './messages/message-log.ts';

/**
 * A store that forgets everything with the process. Records share their messages and values with what was committed,
 * so these must be frozen, as those of the core are.
 */
export function memoryStore(): Store {
  return storeOf(new MemorySessions());
}

/** The store of some sessions in memory. */
export function storeOf(sessions: MemorySessions): Store {
  const load: Store['load'] = async (sessionId) => sessions.load(sessionId);
  const commit: Store['commit'] = async (sessionId, revision, change) =>
    sessions.commit(sessionId, revision, fromStored(change));
  const store: Store = {
    load,
    commit,
    renew: async (...args) => sessions.renew(...args),
    requestStop: async (sessionId) => sessions.requestStop(sessionId),
    async *list(filter) {
      yield* sessions.list(filter);
    },
    delete: async (sessionId) => sessions.delete(sessionId),
  };
  known.set(store, { sessions, load, commit });
  return store;
}

/** The sessions behind a store, with the methods that it was made with: somebody may have put others in their place. */
interface Direct extends Pick<Store, 'load' | 'commit'> {
  readonly sessions: MemorySessions;
}

const known = new WeakMap<Store, Direct>();

/** Whether a store keeps its sessions in memory. */
export function isInMemory(store: Store): boolean {
  return known.has(store);
}

/** Whether a store would load what `findInMemory` finds, and nothing else. */
export function loadsFromMemory(store: Store): boolean {
  return known.get(store)?.load === store.load;
}

/** What is known of a session, if its store keeps it in memory: always what would be loaded. */
export function findInMemory(store: Store, sessionId: string): KnownSession | undefined {
  return loadsFromMemory(store) ? known.get(store)?.sessions.find(sessionId) : undefined;
}

/** Commits at once to a store that has its sessions in memory: gives the next revision, or undefined for any other store. */
export function commitInMemory(
  store: Store,
  sessionId: string,
  revision: number,
  change: LiveChange,
): number | undefined {
  const direct = known.get(store);
  return direct?.commit === store.commit ? direct.sessions.commit(sessionId, revision, change) : undefined;
}

/** Sessions in memory: what a store does with them, at once. */
export class MemorySessions {
  readonly #sessions = new Map<string, StoredSession>();
  /** The last revision that a deleted session had. */
  #lastDeleted = 0;

  load(sessionId: string): SessionRecord | undefined {
    return this.#sessions.get(sessionId)?.record();
  }

  /** What is known of a session. */
  find(sessionId: string): KnownSession | undefined {
    return this.#sessions.get(sessionId)?.known();
  }

  commit(sessionId: string, revision: number, change: LiveChange): number {
    const stored = this.#sessions.get(sessionId);
    checkRevision(sessionId, revision, stored?.revision ?? 0);
    if (change.claim) checkClaim(sessionId, change.claim, stored?.claim);
    checkReplace(sessionId, change, stored?.messages.length ?? 0);
    const changed = stored ?? new StoredSession(sessionId, this.#lastDeleted);
    if (stored === undefined) this.#sessions.set(sessionId, changed);
    changed.apply(change);
    return changed.revision;
  }

  renew(sessionId: string, claim: Claim): boolean | 'stop' {
    const stored = this.#sessions.get(sessionId);
    if (stored?.claim?.owner !== claim.owner) return false;
    stored.claim = claim;
    return stored.isToStop ? 'stop' : true;
  }

  requestStop(sessionId: string): boolean {
    return this.#sessions.get(sessionId)?.requestStop() ?? false;
  }

  *list(filter: SessionFilter = {}): Iterable<SessionSummary> {
    for (const stored of inOrder(this.#sessions, filter)) {
      if (this.#sessions.get(stored.sessionId) === stored && stored.fits(filter)) yield stored.summary();
    }
  }

  delete(sessionId: string): boolean {
    this.#lastDeleted = Math.max(this.#lastDeleted, this.#sessions.get(sessionId)?.revision ?? 0);
    return this.#sessions.delete(sessionId);
  }
}

/** The sessions that a filter may find: the latest change first, or of those that wait for a worker the first one due. */
function inOrder(
  sessions: ReadonlyMap<string, StoredSession>,
  { id, resumable }: SessionFilter,
): StoredSession[] {
  const one = id === undefined ? undefined : sessions.get(id);
  if (id !== undefined) return one === undefined ? [] : [one];
  if (resumable !== true) return [...sessions.values()].toSorted((a, b) => b.changed - a.changed);
  return [...sessions.values()].toSorted((a, b) => (a.due ?? 0) - (b.due ?? 0) || a.changed - b.changed);
}

/** Counts the changes of all sessions: a clock would give two of them the same time. */
let changes = 0;

class StoredSession {
  /** When the session was last changed, by the count of changes. */
  changed = 0;
  readonly sessionId: string;
  readonly messages = MessageLog.of();
  readonly createdAt = Date.now();
  revision: number;
  claim: Claim | undefined;
  isToStop = false;
  #updatedAt = this.createdAt;
  #state: Map<string, Map<string, StateEntry>> | undefined;
  #journal: Map<string, JournalEntry> | undefined;
  #run: RunRecord | undefined;

  constructor(sessionId: string, revision: number) {
    this.sessionId = sessionId;
    this.revision = revision;
  }

  apply({ append, replace, state, journal, run, claim }: LiveChange): void {
    if (replace !== undefined)
      for (const { from, to, messages } of replace) this.messages.replace(from, to, messages);
    if (append !== undefined) {
      this.messages.append(append);
      this.messages.noteCalls();
    }
    if (state !== undefined) this.#applyState(state);
    if (journal !== undefined) this.#applyJournal(journal);
    if (run !== undefined) this.#run = run;
    if (claim !== undefined) this.#setClaim(claim);
    this.revision += 1;
    this.#updatedAt = Date.now();
    changes += 1;
    this.changed = changes;
  }

  /** A request to stop is for the run that holds the session. */
  #setClaim(claim: Claim | null): void {
    if (!keepsStop(claim, this.claim)) this.isToStop = false;
    this.claim = claim ?? undefined;
  }

  #applyJournal(journal: JournalChange): void {
    this.#journal ??= new Map();
    for (const { key, entry } of journal) {
      if (entry === null) this.#journal.delete(key);
      else this.#journal.set(key, entry);
    }
  }

  #applyState(state: NonNullable<LiveChange['state']>): void {
    this.#state ??= new Map();
    for (const [plugin, entries] of Object.entries(state)) {
      const ofPlugin = this.#state.get(plugin) ?? new Map<string, StateEntry>();
      merge(ofPlugin, entries);
      if (ofPlugin.size > 0) this.#state.set(plugin, ofPlugin);
      else this.#state.delete(plugin);
    }
  }

  /** When a worker may resume its run. */
  get due(): number | undefined {
    return dueAt(this.#run);
  }

  requestStop(): boolean {
    this.isToStop = this.due !== undefined;
    return this.isToStop;
  }

  fits({ status, prefix = '', resumable }: SessionFilter): boolean {
    if (!this.sessionId.startsWith(prefix)) return false;
    if (status !== undefined && (this.#run === undefined || statusOf(this.#run) !== status)) return false;
    return resumable !== true || this.#isResumable();
  }

  #isResumable(): boolean {
    const { due } = this;
    if (due === undefined || due > Date.now() || this.isToStop) return false;
    return this.claim === undefined || !isClaimLive(this.claim);
  }

  record(): SessionRecord {
    return Object.freeze({
      format: recordFormat,
      id: this.sessionId,
      revision: this.revision,
      createdAt: this.createdAt,
      updatedAt: this.#updatedAt,
      messages: this.messages.copy(),
      state: this.#stateRecord(),
      journal: this.#journalRecord(),
      ...(this.#run === undefined ? {} : { run: this.#run }),
      ...(this.claim === undefined ? {} : { claim: this.claim }),
    });
  }

  /** What a run needs of it. */
  known(): KnownSession {
    return {
      id: this.sessionId,
      revision: this.revision,
      log: this.messages.fork(),
      state: this.#stateRecord(),
      journal: this.#journalRecord(),
      run: this.#run,
    };
  }

  #stateRecord(): SessionRecord['state'] {
    if (this.#state === undefined || this.#state.size === 0) return nothing;
    return Object.freeze(
      Object.fromEntries(Array.from(this.#state, ([plugin, entries]) => [plugin, toRecord(entries)])),
    );
  }

  #journalRecord(): SessionRecord['journal'] {
    return this.#journal === undefined || this.#journal.size === 0 ? nothing : toRecord(this.#journal);
  }

  summary(): SessionSummary {
    return {
      id: this.sessionId,
      revision: this.revision,
      createdAt: this.createdAt,
      updatedAt: this.#updatedAt,
      messages: this.messages.length,
      ...(this.#run === undefined ? {} : { status: statusOf(this.#run) }),
      interrupts: openInterrupts(this.#run).length,
    };
  }
}

const nothing = Object.freeze({});

function merge<T>(map: Map<string, T>, change: Readonly<Record<string, T | null>>): void {
  for (const key of Object.keys(change)) {
    const value = change[key];
    if (value === null) map.delete(key);
    else if (value !== undefined) map.set(key, value);
  }
}

/** `fromEntries` defines its members, so that a key of `__proto__` is one like any other. */
function toRecord<T>(map: ReadonlyMap<string, T>): Readonly<Record<string, T>> {
  return Object.freeze(Object.fromEntries(map));
}
