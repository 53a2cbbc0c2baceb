import type { AgentEvent } from '../contract/events.ts';
import type { Store } from '../contract/store.ts';

/** What is published of the step in progress. */
export class LiveFollower {
  readonly #store: Store;
  readonly #sessionId: string;
  #last = 0;
  #isShown = false;

  constructor(store: Store, sessionId: string) {
    this.#store = store;
    this.#sessionId = sessionId;
  }

  /** What was shown is in messages now. */
  settle(): void {
    this.#isShown = false;
  }

  /** What is new. A step that begins again, after a crash for example, discards what was shown of it. */
  async take(): Promise<readonly AgentEvent[]> {
    const published = (await this.#store.published?.(this.#sessionId, this.#last)) ?? [];
    this.#last = published.at(-1)?.number ?? this.#last;
    return published
      .flatMap(({ events }) => events)
      .flatMap((event): AgentEvent[] => {
        const isAgain = event.type === 'step-start' && this.#isShown;
        this.#isShown = true;
        return isAgain ? [{ type: 'restart' }, event] : [event];
      });
  }
}
