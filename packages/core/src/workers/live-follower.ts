import type { AgentEvent } from '../contract/events.ts';
import type { LiveEvents, PublishedEvents, RunRecord, Store } from '../contract/store.ts';

/** Reads the published events of the current step. */
export class LiveFollower {
  readonly #store: Store;
  readonly #sessionId: string;
  #last = 0;
  #isShown = false;

  constructor(store: Store, sessionId: string) {
    this.#store = store;
    this.#sessionId = sessionId;
  }

  /** Forgets the shown events: their content is in messages now. */
  settle(): void {
    this.#isShown = false;
  }

  /** Returns new events. */
  async look(): Promise<readonly PublishedEvents[]> {
    return (await this.#store.published?.(this.#sessionId, this.#last)) ?? [];
  }

  /**
   * Returns the events that are not in the record yet. If a step starts again, for example after a crash, `restart`
   * discards what was shown of it.
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

/** Returns true if the record already contains the content of these events. */
function isCommitted({ id, step, position }: RunRecord, live: LiveEvents): boolean {
  if (live.runId !== id || live.step < step) return true;
  if (live.step > step) return false;
  if (position.at === 'tools') return live.phase === 'model';
  return (
    position.at === 'end' || position.at === 'children' || (position.at === 'step' && position.begun !== true)
  );
}
