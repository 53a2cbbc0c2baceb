import { messageOf } from '../base/thrown.ts';
import type { AgentEvent } from '../contract/events.ts';
import type { Store } from '../contract/store.ts';
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
  #waiting: AgentEvent[] = [];
  #isDue = false;
  #publishing: Promise<void> | undefined;

  constructor(store: Store, sessionId: string, log: Logger) {
    this.#store = store;
    this.#sessionId = sessionId;
    this.#log = log;
  }

  readonly take = (event: AgentEvent): void => {
    if (event.type === 'message' || event.type === 'tool-end' || event.type === 'run-end') {
      // It is committed: what was shown of it is dropped.
      this.#waiting = [];
      return;
    }
    if (!shown.has(event.type)) return;
    const joined = joinDeltas(this.#waiting.at(-1), event);
    if (joined === undefined) this.#waiting.push(event);
    else this.#waiting[this.#waiting.length - 1] = joined;
    this.#publishSoon();
  };

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
    this.#publishing = this.#send(events).finally(() => {
      this.#publishing = undefined;
      if (this.#waiting.length > 0) this.#publishSoon();
    });
  }

  async #send(events: readonly AgentEvent[]): Promise<void> {
    try {
      await this.#store.publish?.(this.#sessionId, events);
    } catch (error) {
      this.#log.warn({ sessionId: this.#sessionId }, `Events could not be published: ${messageOf(error)}`);
    }
  }
}
