import type { AgentEvent } from '../contract/events.ts';
import type { LiveEvents, PublishedEvents, RunRecord, Store } from '../contract/store.ts';

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

  /** What is new. */
  async look(): Promise<readonly PublishedEvents[]> {
    return (await this.#store.published?.(this.#sessionId, this.#last)) ?? [];
  }

  /**
   * Takes what is new, as far as it is not in the record. A step that begins again, after a crash for example, discards what was shown
   * of it.
   */
  take(published: readonly PublishedEvents[], run: RunRecord): readonly AgentEvent[] {
    this.#last = published.at(-1)?.number ?? this.#last;
    return published
      .filter((each) => !isCommitted(run, each))
      .flatMap(({ events }) => events)
      .flatMap((event): AgentEvent[] => {
        const isAgain = event.type === 'step-start' && this.#isShown;
        this.#isShown = true;
        return isAgain ? [{ type: 'restart' }, event] : [event];
      });
  }
}

/** Whether the record is further than these events, which were on their way while it was committed. */
function isCommitted({ id, step, position }: RunRecord, live: LiveEvents): boolean {
  if (live.runId !== id || live.step < step) return true;
  if (live.step > step) return false;
  if (position.at === 'tools') return live.phase === 'model';
  return position.at === 'end' || (position.at === 'step' && position.begun !== true);
}
