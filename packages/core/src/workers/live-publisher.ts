import { messageOf } from '../base/thrown.ts';
import type { AgentEvent } from '../contract/events.ts';
import type { LiveEvents, Store } from '../contract/store.ts';
import type { Logger } from '../log/logger.ts';
import { joinDeltas } from '../run/parts/join-deltas.ts';

/** The minimum time between two writes, in milliseconds. */
const everyMs = 100;

/** The events that are published before their step is committed; all others can be derived from the record. */
const shown: ReadonlySet<AgentEvent['type']> = new Set<AgentEvent['type']>([
  'step-start',
  'text-delta',
  'reasoning-delta',
  'tool-call-delta',
  'part-end',
  'restart',
  'tool-start',
  'tool-progress',
  'plugin',
]);

/**
 * Publishes the events of a run in batches for followers in other processes. Events that cannot be published are lost.
 */
export class LivePublisher {
  readonly #store: Store;
  readonly #sessionId: string;
  readonly #log: Logger;
  #at: Omit<LiveEvents, 'events'> = { runId: '', step: 0, phase: 'model' };
  #waiting: AgentEvent[] = [];
  #isDue = false;
  #publishing: Promise<void> | undefined;

  constructor(store: Store, sessionId: string, log: Logger) {
    this.#store = store;
    this.#sessionId = sessionId;
    this.#log = log;
  }

  readonly take = (event: AgentEvent): void => {
    this.#follow(event);
    if (!shown.has(event.type)) return;
    const joined = joinDeltas(this.#waiting.at(-1), event);
    if (joined === undefined) this.#waiting.push(event);
    else this.#waiting[this.#waiting.length - 1] = joined;
    this.#publishSoon();
  };

  /** Updates the phase of the run. Queued events of an earlier phase are dropped, since their content is committed. */
  #follow(event: AgentEvent): void {
    const { step, phase } = this.#at;
    if (event.type === 'run-start') this.#at = { runId: event.runId, step: 0, phase: 'model' };
    else if (event.type === 'step-start') this.#at = { ...this.#at, step: event.step, phase: 'model' };
    else if (event.type === 'message' || event.type === 'tool-start')
      this.#at = { ...this.#at, step: event.step, phase: 'tools' };
    else if (event.type !== 'run-end') return;
    if (event.type === 'run-end' || step !== this.#at.step || phase !== this.#at.phase) this.#waiting = [];
  }

  /** Publishes the queued events together. */
  #publishSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => this.#publish(), everyMs);
  }

  #publish(): void {
    this.#isDue = false;
    if (this.#waiting.length === 0 || this.#publishing !== undefined) return;
    const events = this.#waiting;
    this.#waiting = [];
    this.#publishing = this.#send({ ...this.#at, events }).finally(() => {
      this.#publishing = undefined;
      if (this.#waiting.length > 0) this.#publishSoon();
    });
  }

  async #send(events: LiveEvents): Promise<void> {
    try {
      await this.#store.publish?.(this.#sessionId, events);
    } catch (error) {
      this.#log.warn({ sessionId: this.#sessionId }, `Events could not be published: ${messageOf(error)}`);
    }
  }
}
