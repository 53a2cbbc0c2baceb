import { hash, randomBytes } from 'node:crypto';

import { isShallotError, type Message } from '@shallot/core';
import { dueAt, openInterrupts, type RunRecord, type Store } from '@shallot/core/store';
import { followRun, type FollowedEvent } from '@shallot/core/work';

import type { FeedEvent } from './feed-event.ts';
import type { LiveEvents } from './live-events.ts';
import { formatPosition, type Position } from './position.ts';

/**
 * The number of events that are kept for clients that lag or reconnect. A client that is further behind gets the
 * committed messages instead.
 */
const longestLog = 2000;

/** An event, and its text as a server-sent event. */
export interface SentEvent {
  readonly event: FeedEvent;
  readonly text: string;
}

/** The events that a client has not received yet, and its place after them. */
export interface FeedNews {
  readonly events: readonly SentEvent[];
  readonly at: Position | undefined;
}

/**
 * The events of one run, for any number of clients. One follower fills the log, and each client has a place in it. A
 * client that lags behind the log costs nothing, and continues with the messages that were committed since.
 */
export class RunFeed {
  readonly runId: string;
  readonly #sessionId: string;
  readonly #epoch = randomBytes(6).toString('base64url');
  /** The latest events, in the order of their numbers, which have no gap. */
  #log: FeedEntry[] = [];
  /** The messages and results of the run. */
  #committed: FeedEntry[] = [];
  /** The events since the last committed message or result. */
  #step: FeedEntry[] = [];
  #place: Position;
  #lastMessage: string | undefined;
  #end: (FollowedEvent & { readonly type: 'run-end' }) | undefined;
  #isFollowing = false;
  #isCaughtUp = false;
  #changed = Promise.withResolvers<void>();
  #isWaking = false;

  constructor(sessionId: string, runId: string) {
    this.#sessionId = sessionId;
    this.runId = runId;
    this.#place = { epoch: this.#epoch, seq: 0, m: 0, mark: markOf(runId) };
  }

  /** True if no more events come until the run is resumed. */
  get isOver(): boolean {
    return !this.#isFollowing;
  }

  /**
   * Waits for an event, or for the end of the run. Resolves to true if neither comes within the time, and to false
   * otherwise or on an abort.
   */
  async isSilentFor(ms: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const leave = (): void => resolve(false);
    const timer = setTimeout(resolve, ms, true);
    signal.addEventListener('abort', leave, { once: true });
    void this.#changed.promise.then(leave);
    const isSilent = await promise;
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
    return isSilent;
  }

  /**
   * Returns true if the feed has not seen the end of the run, or the run has continued since, so that it must be followed.
   */
  isBehind(run: RunRecord): boolean {
    if (this.#isFollowing) return false;
    if (this.#end === undefined || isOpen(run)) return true;
    if (this.#end.steps !== run.step || this.#end.outcome !== outcomeOf(run)) return true;
    // The record differs if one of several questions was answered.
    const open = openInterrupts(run).map(({ id }) => id);
    return open.join() !== this.#questions().join();
  }

  #questions(): readonly string[] {
    return this.#step.flatMap(({ event }) => (event.type === 'interrupt' ? [event.interrupt.id] : []));
  }

  /**
   * Follows the run until it ends or asks, or until the signal is aborted. An error ends the streams, and their clients
   * reconnect. Does nothing if the run is followed already.
   */
  async follow(
    live: LiveEvents,
    store: Store,
    { signal, onError }: { readonly signal: AbortSignal; readonly onError: (error: unknown) => void },
  ): Promise<void> {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    // An earlier follower failed during a step. The next one receives that step from its beginning.
    if (this.#end === undefined && this.#step.length > 0) this.#number({ type: 'restart' });
    this.#step = [];
    this.#end = undefined;
    const after = this.#lastMessage === undefined ? {} : { after: this.#lastMessage };
    const followed = live.over(store, () => this.#caughtUp());
    try {
      for await (const event of followRun(followed, this.#sessionId, { ...after, signal })) this.#take(event);
    } catch (error) {
      if (!isShallotError(error, 'SESSION_NOT_FOUND')) onError(error);
    } finally {
      this.#isFollowing = false;
      this.#isCaughtUp = false;
      this.#wake();
    }
  }

  #caughtUp(): void {
    if (this.#isCaughtUp) return;
    this.#isCaughtUp = true;
    this.#wake();
  }

  /**
   * Returns the events after a place; without a place, or for one that is no longer valid, all events of the run. For a
   * place from another server there are none until it can be compared.
   */
  after(place: Position | undefined): FeedNews {
    // A place from another server can be compared only after the record was read.
    const isEarly = this.#isFollowing && !this.#isCaughtUp;
    if (isEarly && place !== undefined && place.epoch !== this.#epoch) return { events: [], at: place };
    return { events: this.#eventsAfter(place), at: this.#place };
  }

  #eventsAfter(place: Position | undefined): readonly SentEvent[] {
    if (place === undefined) return [...this.#committed, ...this.#step];
    const { epoch, seq, m, mark } = place;
    if (epoch === this.#epoch && seq <= this.#place.seq) {
      if (seq === this.#place.seq) return [];
      const first = this.#log[0]?.place.seq ?? Infinity;
      if (seq + 1 >= first) return this.#log.slice(seq + 1 - first);
    }
    const known = m === 0 ? markOf(this.runId) : this.#committed[m - 1]?.place.mark;
    if (known === mark) return [restart, ...this.#committed.slice(m), ...this.#step];
    return [reload, ...this.#committed, ...this.#step];
  }

  #take(event: FollowedEvent): void {
    if (event.type === 'message' || event.type === 'tool-end') this.#commit(event);
    else if (event.type === 'reload') this.#reload(event);
    else if (event.type === 'live') this.#add(liveEventOf(event.event));
    else {
      if (event.type === 'run-end') this.#end = event;
      this.#add(event);
    }
    this.#wake();
  }

  #commit(event: FeedEvent & { readonly message: Message }): void {
    const { id } = event.message;
    this.#lastMessage = id;
    this.#place = { ...this.#place, m: this.#place.m + 1, mark: markOf(this.runId, id) };
    this.#committed.push(this.#number(event));
    this.#step = [];
  }

  #reload(event: FeedEvent): void {
    this.#committed = [];
    this.#step = [];
    this.#lastMessage = undefined;
    this.#place = { ...this.#place, m: 0, mark: markOf(this.runId) };
    this.#number(event);
  }

  #add(event: FeedEvent | undefined): void {
    if (event === undefined) return;
    const entry = this.#number(event);
    if (event.type === 'restart') this.#step = [];
    else this.#step.push(entry);
  }

  /** Gives an event its number, and keeps it in the log. */
  #number(event: FeedEvent): FeedEntry {
    this.#place = { ...this.#place, seq: this.#place.seq + 1 };
    const entry = new FeedEntry(this.#place, event);
    this.#log.push(entry);
    if (this.#log.length > 2 * longestLog) this.#log = this.#log.slice(-longestLog);
    return entry;
  }

  /** Wakes the clients. Events within one turn of the event loop reach them in one write. */
  #wake(): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    setImmediate(() => {
      this.#isWaking = false;
      this.#changed.resolve();
      this.#changed = Promise.withResolvers();
    });
  }
}

/** An event with its place. Its text is written once for all clients. */
class FeedEntry implements SentEvent {
  readonly place: Position;
  readonly event: FeedEvent;
  #text: string | undefined;

  constructor(place: Position, event: FeedEvent) {
    this.place = place;
    this.event = event;
  }

  get text(): string {
    return (this.#text ??= `id: ${formatPosition(this.place)}\n${frame(this.event)}`);
  }
}

/** Events for one client. They have no id, so the client keeps the place of the last event. */
const [restart, reload] = [unnumbered({ type: 'restart' }), unnumbered({ type: 'reload' })];

function unnumbered(event: FeedEvent): SentEvent {
  return { event, text: frame(event) };
}

/** Returns the text of an event without a place. */
export function frame(event: FeedEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Returns the mark of the last message that a client has, or of the run if the client has none. */
function markOf(...ids: readonly string[]): string {
  return hash('sha256', JSON.stringify(ids), 'base64url').slice(0, 12);
}

type LiveEvent = (FollowedEvent & { readonly type: 'live' })['event'];

/** Returns a live event for clients; undefined if the record contains the event as well. */
function liveEventOf(event: LiveEvent): FeedEvent | undefined {
  switch (event.type) {
    case 'message':
    case 'message-taken':
    case 'tool-end':
    case 'interrupt':
    case 'run-start':
    case 'run-end':
      return undefined;
    default:
      return event;
  }
}

/** Returns true if a worker has the run, or will take it without a request. */
export function isOpen(run: RunRecord): boolean {
  return run.parked !== true && (run.status === 'running' || dueAt(run) !== undefined);
}

function outcomeOf(run: RunRecord): string {
  return run.parked === true || run.status === 'running' ? 'failed' : run.status;
}
