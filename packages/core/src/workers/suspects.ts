import type { AgentEvent } from '../contract/events.ts';
import type { RunRecord } from '../contract/store.ts';
import { isSuspect } from '../run/parts/attempts.ts';

type Listener = (event: AgentEvent) => void;

/**
 * Keeps apart the runs of a worker that may be what kills workers: a death takes all runs of the process with it, and those
 * that are tried together again would die together again. So one of them is tried at a time, until it reaches another step.
 */
export class Suspects {
  #tried: { readonly sessionId: string; readonly step: number } | undefined;
  readonly #onCleared: () => void;

  /** `onCleared` is called when another one may be tried. */
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

  /** Returns a listener of a run that sees when it is no longer suspect. */
  watching(sessionId: string, listener: Listener | undefined): Listener | undefined {
    const tried = this.#tried;
    if (tried?.sessionId !== sessionId) return listener;
    return (event) => {
      listener?.(event);
      // The step that the run was at is over once the one after the next begins: of a step that has not ended nothing may be stored.
      if (event.type === 'step-start' && event.step > tried.step + 1) this.left(sessionId);
    };
  }

  /** The run has ended, or has shown that it kills nobody. */
  left(sessionId: string): void {
    if (this.#tried?.sessionId !== sessionId) return;
    this.#tried = undefined;
    this.#onCleared();
  }
}
