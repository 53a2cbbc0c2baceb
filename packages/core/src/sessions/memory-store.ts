import { isClaimLive, type Claim } from '../base/claim.ts';
import {
  recordFormat,
  type JournalEntry,
  type RunRecord,
  type SessionChange,
  type SessionFilter,
  type SessionRecord,
  type SessionSummary,
  type StateEntry,
  type Store,
} from '../contract/store.ts';
import { checkClaim, checkReplace, checkRevision } from './commit-checks.ts';
import { dueAt, statusOf } from './due-at.ts';
import { openInterrupts } from './interrupts.ts';
import type { KnownSession } from './live-session.ts';
import { MessageLog } from './messages/message-log.ts';

/**
 * A store that forgets everything with the process. Records share their messages and values with what was committed,
 * so these must be frozen, as those of the core are.
 */
export function memoryStore(): Store {
  const sessions = new Map<string, StoredSession>();
  const load = async (sessionId: string): Promise<SessionRecord | undefined> =>
    sessions.get(sessionId)?.record();
  const store = { load, ...methodsOn(sessions) };
  known.set(store, { load, find: (sessionId) => sessions.get(sessionId)?.known() });
  return store;
}

/** How a session of a store is found without loading it, as long as the store loads its sessions itself. */
interface Finder {
  readonly load: Store['load'];
  find(sessionId: string): KnownSession | undefined;
}

const known = new WeakMap<Store, Finder>();

/** Whether a store keeps its sessions in memory. */
export function isInMemory(store: Store): boolean {
  return known.has(store);
}

/** What is known of a session, if its store keeps it in memory: always what would be loaded. */
export function findInMemory(store: Store, sessionId: string): KnownSession | undefined {
  const finder = known.get(store);
  return finder === undefined || finder.load !== store.load ? undefined : finder.find(sessionId);
}

/** A store that is another one with some of its methods replaced keeps its sessions where that one does. */
export function sharesMemory(store: Store, original: Store): void {
  const finder = known.get(original);
  if (finder !== undefined) known.set(store, finder);
}

function methodsOn(sessions: Map<string, StoredSession>): Omit<Store, 'load'> {
  /** The last revision that a deleted session had. */
  let lastDeleted = 0;

  return {
    async commit(sessionId, revision, change) {
      const stored = sessions.get(sessionId);
      checkRevision(sessionId, revision, stored?.revision ?? 0);
      if (change.claim) checkClaim(sessionId, change.claim, stored?.claim);
      checkReplace(sessionId, change, stored?.messages.length ?? 0);
      const changed = stored ?? new StoredSession(sessionId, lastDeleted);
      if (stored === undefined) sessions.set(sessionId, changed);
      changed.apply(change);
      return changed.revision;
    },

    async renew(sessionId, claim) {
      const stored = sessions.get(sessionId);
      if (stored?.claim?.owner !== claim.owner) return false;
      stored.claim = claim;
      return stored.isToStop ? 'stop' : true;
    },

    async requestStop(sessionId) {
      return sessions.get(sessionId)?.requestStop() ?? false;
    },

    async *list(filter = {}) {
      for (const stored of inOrder(sessions, filter)) {
        if (sessions.get(stored.sessionId) === stored && stored.fits(filter)) yield stored.summary();
      }
    },

    async delete(sessionId) {
      lastDeleted = Math.max(lastDeleted, sessions.get(sessionId)?.revision ?? 0);
      return sessions.delete(sessionId);
    },
  };
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

  apply({ append, replace, state, journal, run, claim }: SessionChange): void {
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
    if (claim?.owner !== this.claim?.owner) this.isToStop = false;
    this.claim = claim ?? undefined;
  }

  #applyJournal(journal: NonNullable<SessionChange['journal']>): void {
    this.#journal ??= new Map();
    merge(this.#journal, journal);
  }

  #applyState(state: NonNullable<SessionChange['state']>): void {
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
