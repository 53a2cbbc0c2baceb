import type { AgentEvent } from '../contract/events.ts';
import type { RunRecord } from '../contract/store.ts';
import { isSuspect } from '../run/parts/attempts.ts';

type Listener = (event: AgentEvent) => void;

/**
 * Separates the runs of a worker that may be the cause of deaths: a death affects all runs of the process, and runs that
 * are tried together again would die together again. So only one of these suspects is tried at a time, until it reaches
 * another step.
 */
export class Suspects {
  #tried: { readonly sessionId: string; readonly step: number } | undefined;
  readonly #onCleared: () => void;

  /** `onCleared` is called when another suspect may be tried. */
  constructor(onCleared: () => void) {
    this.#onCleared = onCleared;
  }

  /** Returns true if a run may be resumed now. */
  admits(sessionId: string, run: RunRecord): boolean {
    if (!isSuspect(run)) return true;
    if (this.#tried !== undefined && this.#tried.sessionId !== sessionId) return false;
    this.#tried = { sessionId, step: run.step };
    return true;
  }

  /** Returns a listener for a run that notices when the run is no longer suspect. */
  watching(sessionId: string, listener: Listener | undefined): Listener | undefined {
    const tried = this.#tried;
    if (tried?.sessionId !== sessionId) return listener;
    return (event) => {
      listener?.(event);
      // The step in question is surely over when the step after the next begins, because a step may begin without being
      // stored.
      if (event.type === 'step-start' && event.step > tried.step + 1) this.left(sessionId);
    };
  }

  /** Notes that a run has ended, or has shown that it does not kill its process. */
  left(sessionId: string): void {
    if (this.#tried?.sessionId !== sessionId) return;
    this.#tried = undefined;
    this.#onCleared();
  }
}
