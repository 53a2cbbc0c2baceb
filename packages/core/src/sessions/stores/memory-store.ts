import type { Claim } from '../../base/claim.ts';
import type {
  DeleteOptions,
  DutyTaken,
  MessagesFrom,
  SessionAbout,
  SessionFilter,
  SessionHead,
  SessionRecord,
  SessionSummary,
  Store,
} from '../../contract/store.ts';
import type { InboxEntry, InboxFilter, InboxNews } from '../../contract/work/inbox.ts';
import { fromStored, type ChangeDraft } from '../content/change-draft.ts';
import type { KnownSession } from '../content/known-session.ts';
import { checkClaim, checkReplace, checkRevision } from './commit-checks.ts';
import { DutyList } from './duty-list.ts';
import { orderOf, placeOf, type ListingOrder, type ListingPlace } from './filter-sessions.ts';
import { StoredSession } from './stored-session.ts';

/**
 * Creates a store that lives as long as the process. Records share messages and values with the committed changes, so
 * these must be frozen, as the core does.
 */
export function memoryStore(): Store {
  return storeOf(new MemorySessions());
}

/** Returns the store interface for sessions in memory. */
export function storeOf(sessions: MemorySessions): Store {
  const load: Store['load'] = async (sessionId) => sessions.load(sessionId);
  const commit: Store['commit'] = async (sessionId, revision, change) =>
    sessions.commit(sessionId, revision, fromStored(change));
  const inbox: Store['inbox'] = async (sessionId, filter) => sessions.inbox(sessionId, filter);
  const store: Store = {
    isLocal: true,
    load,
    head: async (sessionId) => sessions.head(sessionId),
    messagesFrom: async (sessionId, messageId) => sessions.messagesFrom(sessionId, messageId),
    commit,
    renew: async (...args) => sessions.renew(...args),
    requestStop: async (sessionId) => sessions.requestStop(sessionId),
    watchInbox: sessions.watchInbox,
    async *list(filter) {
      yield* sessions.list(filter);
    },
    send: async (sessionId, entry) => sessions.send(sessionId, entry),
    inbox,
    unsend: async (sessionId, id) => sessions.unsend(sessionId, id),
    setTitle: async (sessionId, title) => sessions.setTitle(sessionId, title),
    delete: async (sessionId, options) => sessions.delete(sessionId, options),
    takeDuty: async (...args) => sessions.takeDuty(...args),
  };
  known.set(store, { sessions, load, commit, inbox });
  return store;
}

/** The sessions behind a store, and its original methods, to notice if other code has replaced them. */
interface Direct extends Pick<Store, 'load' | 'commit' | 'inbox'> {
  readonly sessions: MemorySessions;
}

const known = new WeakMap<Store, Direct>();

/** Returns true if a store keeps its sessions in memory. */
export function isInMemory(store: Store): boolean {
  return known.has(store);
}

/** Returns true if `load` would return exactly what `findInMemory` does. */
export function loadsFromMemory(store: Store): boolean {
  return known.get(store)?.load === store.load;
}

/**
 * Returns a session of a memory store without loading it; undefined if the store has none, or `load` would return
 * another one.
 */
export function findInMemory(store: Store, sessionId: string): KnownSession | undefined {
  return loadsFromMemory(store) ? known.get(store)?.sessions.find(sessionId) : undefined;
}

/**
 * Commits to a memory store synchronously. Returns the next revision; undefined for any other store, or if other code
 * has replaced the method.
 */
export function commitInMemory(
  store: Store,
  sessionId: string,
  revision: number,
  change: ChangeDraft,
): number | undefined {
  const direct = known.get(store);
  return direct?.commit === store.commit ? direct.sessions.commit(sessionId, revision, change) : undefined;
}

/**
 * Reads the inbox of a session in a memory store synchronously. Returns undefined for any other store, or if other code
 * has replaced the method.
 */
export function inboxInMemory(
  store: Store,
  sessionId: string,
  filter: InboxFilter,
): readonly InboxEntry[] | undefined {
  const direct = known.get(store);
  return direct?.inbox === store.inbox ? direct?.sessions.inbox(sessionId, filter) : undefined;
}

/** Sessions in memory, with the operations of a store in synchronous form. */
export class MemorySessions {
  readonly #duties = new DutyList();
  readonly #sessions = new Map<string, StoredSession>();
  /** The sessions of child runs, by the session of their parent. */
  readonly #children = new Map<string, Set<string>>();
  readonly #watchers = new Map<string, (news: InboxNews) => void>();
  /**
   * The sessions that may have work for a worker. Created at the first search, so that later ones do not take longer the
   * more sessions there are.
   */
  #open: Set<StoredSession> | undefined;
  /** The largest revision of deleted sessions. */
  #lastDeleted = 0;

  head(sessionId: string): SessionHead | undefined {
    return this.#sessions.get(sessionId)?.head();
  }

  messagesFrom(sessionId: string, messageId: string): MessagesFrom | undefined {
    const stored = this.#sessions.get(sessionId);
    const index = stored?.content.log.findLast(({ id }) => id === messageId) ?? -1;
    if (stored === undefined || index === -1) return undefined;
    return { revision: stored.revision, messages: stored.content.log.copy(index) };
  }

  load(sessionId: string): SessionRecord | undefined {
    return this.#sessions.get(sessionId)?.record();
  }

  find(sessionId: string): KnownSession | undefined {
    return this.#sessions.get(sessionId)?.known();
  }

  commit(sessionId: string, revision: number, change: ChangeDraft): number {
    const stored = this.#sessions.get(sessionId);
    // The first change of a session cannot conflict with anything.
    if (stored !== undefined || revision > 0 || change.replace !== undefined) {
      checkRevision(sessionId, revision, stored?.revision ?? 0);
      if (change.claim) checkClaim(sessionId, change.claim, stored?.claim);
      checkReplace(sessionId, change, stored?.content.log.length ?? 0);
    }
    const changed = stored ?? new StoredSession(sessionId, this.#lastDeleted);
    if (stored === undefined) this.#sessions.set(sessionId, changed);
    changed.apply(change);
    if (this.#open !== undefined) noteOpen(this.#open, changed);
    if (stored === undefined && change.about !== undefined) this.#noteChild(sessionId, change.about);
    return changed.revision;
  }

  renew(sessionId: string, claim: Claim): boolean | 'stop' {
    const stored = this.#sessions.get(sessionId);
    if (stored?.claim?.owner !== claim.owner) return false;
    stored.claim = claim;
    return stored.isToStop ? 'stop' : true;
  }

  requestStop(sessionId: string): boolean {
    const isMarked = this.#sessions.get(sessionId)?.requestStop() ?? false;
    if (isMarked) this.#watchers.get(sessionId)?.('stop');
    return isMarked;
  }

  /**
   * Calls `heard` at once when an entry is sent or a stop is requested. A session has one watcher: the run that holds it.
   */
  readonly watchInbox = (sessionId: string, heard: (news: InboxNews) => void): (() => void) => {
    this.#watchers.set(sessionId, heard);
    return () => void (this.#watchers.get(sessionId) === heard && this.#watchers.delete(sessionId));
  };

  send(sessionId: string, entry: InboxEntry): boolean {
    const stored = this.#sessions.get(sessionId);
    const isSent = stored?.send(entry) ?? false;
    if (stored !== undefined && this.#open !== undefined) noteOpen(this.#open, stored);
    if (isSent) this.#watchers.get(sessionId)?.('sent');
    return isSent;
  }

  inbox(sessionId: string, filter: InboxFilter = {}): readonly InboxEntry[] {
    return this.#sessions.get(sessionId)?.inbox?.list(filter) ?? none;
  }

  unsend(sessionId: string, id: string): boolean {
    return this.#sessions.get(sessionId)?.inbox?.remove(id) ?? false;
  }

  takeDuty(duty: string, terms: string, periodMs: number): DutyTaken {
    return this.#duties.take(duty, terms, periodMs);
  }

  setTitle(sessionId: string, title: string): boolean {
    const content = this.#sessions.get(sessionId)?.content;
    content?.apply({ about: Object.freeze({ ...content.about, title }) });
    return content !== undefined;
  }

  *list(filter: SessionFilter = {}): Iterable<SessionSummary> {
    const { limit = Number.POSITIVE_INFINITY, after } = filter;
    const order = orderOf(filter);
    const begin = after === undefined ? undefined : placeOf(after);
    let left = limit;
    for (const stored of inOrder(this.#candidates(filter), order)) {
      if (left <= 0) return;
      const place = stored.place(order);
      if (begin !== undefined && comparePlaces(order, place, begin) <= 0) continue;
      if (this.#sessions.get(stored.sessionId) !== stored || !stored.fits(filter)) continue;
      left -= 1;
      yield { ...stored.summary(), cursor: JSON.stringify(place) };
    }
  }

  delete(sessionId: string, { ifRevision }: DeleteOptions = {}): boolean {
    const revision = this.#sessions.get(sessionId)?.revision ?? 0;
    if (ifRevision !== undefined && revision > 0) checkRevision(sessionId, ifRevision, revision);
    this.#lastDeleted = Math.max(this.#lastDeleted, revision);
    const children = this.#children.get(sessionId);
    this.#children.delete(sessionId);
    for (const child of children ?? []) this.delete(child);
    const stored = this.#sessions.get(sessionId);
    if (stored !== undefined) this.#open?.delete(stored);
    return this.#sessions.delete(sessionId);
  }

  /** Returns the sessions that may match a filter. */
  #candidates(filter: SessionFilter): readonly StoredSession[] {
    const { id, parent, resumable } = filter;
    if (id !== undefined) {
      const one = this.#sessions.get(id);
      return one === undefined ? [] : [one];
    }
    if (resumable !== true) {
      const all = [...this.#sessions.values()];
      // Filtered before all sessions are sorted: deleting a session lists its few child sessions.
      return parent === undefined ? all : all.filter(({ content }) => content.about?.parent === parent);
    }
    this.#open ??= new Set([...this.#sessions.values()].filter(({ mayBeDue }) => mayBeDue));
    return [...this.#open].filter((stored) => stored.fits(filter));
  }

  #noteChild(sessionId: string, { parent, root }: SessionAbout): void {
    if (parent === undefined || root === undefined) return;
    const children = this.#children.get(parent);
    if (children === undefined) this.#children.set(parent, new Set([sessionId]));
    else children.add(sessionId);
  }
}

const none: readonly never[] = Object.freeze([]);

/** Adds a session to those that may have work for a worker, or removes it. */
function noteOpen(open: Set<StoredSession>, stored: StoredSession): void {
  if (stored.mayBeDue) open.add(stored);
  else open.delete(stored);
}

function inOrder(sessions: readonly StoredSession[], order: ListingOrder): readonly StoredSession[] {
  if (sessions.length < 2) return sessions;
  return sessions.toSorted((a, b) => comparePlaces(order, a.place(order), b.place(order)));
}

function comparePlaces(order: ListingOrder, a: ListingPlace, b: ListingPlace): number {
  for (const [index, part] of a.entries()) {
    const other = b[index] ?? '';
    const difference =
      typeof part === 'string'
        ? Buffer.compare(Buffer.from(part), Buffer.from(String(other)))
        : part - Number(other);
    if (difference !== 0) return order === 'change' ? -difference : difference;
  }
  return 0;
}
