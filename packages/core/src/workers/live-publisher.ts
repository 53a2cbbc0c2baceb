import { messageOf } from '../base/thrown.ts';
import type { AgentEvent } from '../contract/events.ts';
import type { LiveEvents, Store } from '../contract/store.ts';
import type { Logger } from '../log/logger.ts';
import { joinDeltas } from '../run/join-deltas.ts';

/** At most one write in this time, in milliseconds. */
const everyMs = 100;

/** What is seen of a step before it is committed. Everything else is in the record. */
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

/** Publishes the events of a run in bundles, for followers in other processes. What cannot be published is lost. */
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

  /** What is waiting of a part of the run that is over is committed by now. */
  #follow(event: AgentEvent): void {
    const { step, phase } = this.#at;
    if (event.type === 'run-start') this.#at = { runId: event.runId, step: 0, phase: 'model' };
    else if (event.type === 'step-start') this.#at = { ...this.#at, step: event.step, phase: 'model' };
    else if (event.type === 'message' || event.type === 'tool-start')
      this.#at = { ...this.#at, step: event.step, phase: 'tools' };
    else if (event.type !== 'run-end') return;
    if (event.type === 'run-end' || step !== this.#at.step || phase !== this.#at.phase) this.#waiting = [];
  }

  /** What is waiting goes out together. */
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
