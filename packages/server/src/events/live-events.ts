import type { AgentEvent } from '@shallot/core';
import type { LiveEvents as Place, PublishedEvents, Store } from '@shallot/core/store';

/** Events that a follower reads from the record. Here they only signal that the record has changed. */
const recorded: ReadonlySet<AgentEvent['type']> = new Set<AgentEvent['type']>([
  'run-start',
  'message',
  'message-taken',
  'tool-end',
  'interrupt',
  'run-end',
]);

/**
 * Event numbers of this process are larger than those of any store, because a follower may have seen numbers of a
 * store before.
 */
const firstNumber = 2 ** 40;

/** The shortest time between two wake-ups for pieces of a long answer, in milliseconds. Nobody notices the delay. */
const gatherMs = 10;

/**
 * The number of events at the beginning of a phase that wake followers immediately. A short step may be over before
 * its events could be gathered.
 */
const firstOfPhase = 8;

/**
 * The events of steps that this process executes, for followers in this process. `followRun` reads them through
 * `over(store)` like events that other processes publish, but immediately, and for any store.
 */
export class LiveEvents {
  readonly #running = new Map<string, RunningStep>();
  readonly #listeners: Listeners = new Map();
  /** The listeners of clients that wait only for the end of a run. */
  readonly #waiting: Listeners = new Map();
  /** The sessions whose followers were just woken; true if more events have come since. */
  readonly #looked = new Map<string, boolean>();
  #number = firstNumber;

  /** Takes an event of the worker in this process. */
  readonly take = (sessionId: string, event: AgentEvent): void => {
    if (event.type === 'run-start') this.#running.set(sessionId, new RunningStep(event.runId));
    if (event.type === 'run-end') this.#running.delete(sessionId);
    const running = this.#running.get(sessionId);
    running?.follow(event);
    if (!recorded.has(event.type)) running?.add((this.#number += 1), event);
    const isPiece = event.type.endsWith('-delta') && running?.isLong === true;
    if (isPiece) this.#wakeInTime(sessionId);
    else this.wake(sessionId);
    if (event.type === 'run-end') for (const end of this.#waiting.get(sessionId) ?? []) end();
  };

  /**
   * Calls the listener when a run of the session has ended in this process. Returns a function that removes the
   * listener.
   */
  onEnd(sessionId: string, listener: () => void): () => void {
    return addTo(this.#waiting, sessionId, listener);
  }

  #wakeInTime(sessionId: string): void {
    if (this.#looked.has(sessionId)) this.#looked.set(sessionId, true);
    else if (this.#listeners.has(sessionId)) {
      this.wake(sessionId);
      this.#looked.set(sessionId, false);
      setTimeout(() => {
        const isMore = this.#looked.get(sessionId) === true;
        this.#looked.delete(sessionId);
        if (isMore) this.#wakeInTime(sessionId);
      }, gatherMs).unref();
    }
  }

  /** Lets the followers of a session read its record. */
  wake(sessionId: string): void {
    for (const listener of this.#listeners.get(sessionId) ?? []) listener();
  }

  /**
   * Returns a store for one follower. It adds the events of this process to those that the store has from other
   * processes. Calls `onCaughtUp` when the follower has received everything that is committed.
   */
  over(store: Store, onCaughtUp: () => void): Store {
    let lastOfStore = 0;
    const watch: Store['watch'] = async (sessionId, listener) => {
      const leave = await store.watch?.(sessionId, listener);
      const forget = addTo(this.#listeners, sessionId, listener);
      return () => {
        leave?.();
        forget();
      };
    };
    const published: Store['published'] = async (sessionId, after) => {
      // A follower asks for these events only after it has read the record.
      onCaughtUp();
      const running = this.#running.get(sessionId);
      if (running !== undefined) return running.after(after);
      const found = (await store.published?.(sessionId, lastOfStore)) ?? [];
      lastOfStore = found.at(-1)?.number ?? lastOfStore;
      return found;
    };
    return new Proxy(store, {
      get(target, key) {
        if (key === 'watch') return watch;
        if (key === 'published') return published;
        const member: unknown = Reflect.get(target, key, target);
        const bound: unknown = typeof member === 'function' ? member.bind(target) : member;
        return bound;
      },
    });
  }
}

type Listeners = Map<string, Set<() => void>>;

/** Adds a listener. Returns a function that removes it. */
function addTo(all: Listeners, sessionId: string, listener: () => void): () => void {
  const listeners = all.get(sessionId) ?? new Set();
  all.set(sessionId, listeners.add(listener));
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && all.get(sessionId) === listeners) all.delete(sessionId);
  };
}

/**
 * The events of the current step of a run. Events of an earlier phase are dropped, because their content is
 * committed.
 */
class RunningStep {
  readonly #runId: string;
  #step = 0;
  #phase: Place['phase'] = 'model';
  #published: PublishedEvents[] = [];

  constructor(runId: string) {
    this.#runId = runId;
  }

  get isLong(): boolean {
    return this.#published.length > firstOfPhase;
  }

  follow(event: AgentEvent): void {
    if (event.type === 'step-start') this.#begin(event.step, 'model');
    if (event.type === 'message' || event.type === 'tool-start') this.#begin(event.step, 'tools');
  }

  #begin(step: number, phase: Place['phase']): void {
    if (step === this.#step && phase === this.#phase) return;
    this.#step = step;
    this.#phase = phase;
    if (this.#published.length > 0) this.#published = [];
  }

  add(number: number, event: AgentEvent): void {
    const place = { runId: this.#runId, step: this.#step, phase: this.#phase };
    this.#published.push({ ...place, number, events: [event] });
  }

  after(number: number): readonly PublishedEvents[] {
    // The search begins at the end, near the place of most followers, so that its cost does not grow with the step.
    let next = this.#published.length;
    while (next > 0 && (this.#published[next - 1]?.number ?? 0) > number) next -= 1;
    return this.#published.slice(next);
  }
}
