import { isClaimLive, type Claim } from '../../base/claim.ts';
import { encodeText } from '../../base/encode-text.ts';
import {
  recordFormat,
  type SessionFilter,
  type SessionHead,
  type SessionRecord,
  type SessionSummary,
} from '../../contract/store.ts';
import type { InboxEntry } from '../../contract/work/inbox.ts';
import type { ChangeDraft } from '../content/change-draft.ts';
import type { KnownSession } from '../content/known-session.ts';
import { openInterrupts } from '../content/open-interrupts.ts';
import { SessionContent } from '../content/session-content.ts';
import { dueAt, isToBeStopped, keepsStop, leavesMessages, statusOf, takesMessages } from './due-at.ts';
import { fitsFilter, type ListingOrder, type ListingPlace } from './filter-sessions.ts';
import { MemoryInbox } from './memory-inbox.ts';
import { nextAbout } from './run-columns.ts';

/** The number of changes of all sessions. Timestamps would not be unique. */
let changes = 0;

/** A session in memory, with the data that a store keeps for it. */
export class StoredSession {
  /** The value of `changes` at the last change. */
  changed = 0;
  readonly sessionId: string;
  readonly content = new SessionContent();
  readonly createdAt = Date.now();
  revision: number;
  claim: Claim | undefined;
  isToStop = false;
  /** Created with the first entry. */
  inbox: MemoryInbox | undefined;
  #updatedAt = this.createdAt;

  constructor(sessionId: string, revision: number) {
    this.sessionId = sessionId;
    this.revision = revision;
  }

  apply(change: ChangeDraft): void {
    const { about } = change;
    this.content.apply(
      about === undefined ? change : { ...change, about: nextAbout(this.content.about, about) },
    );
    if (change.taken !== undefined) this.inbox?.take(change.taken);
    const { claim } = change;
    if (this.isToStop && !keepsStop(change, this.claim)) this.isToStop = false;
    if (claim !== undefined) this.claim = claim ?? undefined;
    // Runs index the ids of their own calls as they are made.
    if (change.append !== undefined && this.claim === undefined) this.content.log.noteCalls();
    this.revision += 1;
    this.#updatedAt = Date.now();
    changes += 1;
    this.changed = changes;
  }

  /** The time from which a worker may resume the run; see `dueAt` and `leavesMessages`. */
  get due(): number | undefined {
    const { run } = this.content;
    if (run !== undefined && leavesMessages(run)) return this.inbox?.isEmpty === false ? 0 : undefined;
    return dueAt(run);
  }

  /** False if only another commit or message can make the run due. */
  get mayBeDue(): boolean {
    const { run } = this.content;
    return (this.inbox !== undefined && run !== undefined && leavesMessages(run)) || dueAt(run) !== undefined;
  }

  /** Returns the session's place in a listing. */
  place(order: ListingOrder): ListingPlace {
    if (order === 'name') return [encodeText(this.sessionId)];
    return order === 'due' ? [this.due ?? 0, this.changed] : [this.changed];
  }

  requestStop(): boolean {
    const { run } = this.content;
    this.isToStop = run !== undefined && isToBeStopped(statusOf(run), dueAt(run));
    return this.isToStop;
  }

  send(entry: InboxEntry): boolean {
    const { run } = this.content;
    if (run === undefined || !takesMessages(statusOf(run))) return false;
    this.inbox ??= new MemoryInbox();
    this.inbox.add(this.sessionId, entry);
    return true;
  }

  fits(filter: SessionFilter): boolean {
    return fitsFilter(filter, this.summary(), () => this.#isResumable());
  }

  #isResumable(): boolean {
    const { due } = this;
    if (due === undefined || due > Date.now()) return false;
    return this.claim === undefined || !isClaimLive(this.claim);
  }

  head(): SessionHead {
    return Object.freeze({
      format: recordFormat,
      id: this.sessionId,
      revision: this.revision,
      createdAt: this.createdAt,
      updatedAt: this.#updatedAt,
      ...this.content.toRecord(),
      ...(this.claim === undefined ? {} : { claim: this.claim }),
      ...(this.isToStop ? { stopRequested: true } : {}),
    });
  }

  record(): SessionRecord {
    return Object.freeze({ ...this.head(), messages: this.content.log.copy() });
  }

  known(): KnownSession {
    return { id: this.sessionId, revision: this.revision, content: this.content.fork() };
  }

  summary(): SessionSummary {
    const { log, run, about } = this.content;
    return {
      id: this.sessionId,
      revision: this.revision,
      createdAt: this.createdAt,
      updatedAt: this.#updatedAt,
      messages: log.length,
      ...(run === undefined ? {} : { status: statusOf(run) }),
      interrupts: openInterrupts(run).length,
      ...(run?.agent === undefined ? {} : { agent: run.agent }),
      ...(about === undefined ? {} : { about }),
      ...(this.isToStop ? { stopRequested: true } : {}),
    };
  }
}
