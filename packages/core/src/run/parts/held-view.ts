import type { Failure } from '../../base/attempt.ts';
import type { Run } from '../../contract/hooks.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import type { Owner } from '../../hooks/owner.ts';

/** Creates a plugin's view of a run; `held` is the object that will hold the view. */
export type ViewMaker = (owner: Owner, held: HeldView) => Run;

/** A plugin's view of a run, and the tap that uses it. Plugins only see the view. */
export class HeldView {
  readonly view: Run;
  /** The current tap, whose key is part of interrupt ids. */
  tap: LiveTap | undefined;
  /** Counts the questions of the current tap. */
  asked: Map<string, number> | undefined;
  /** Set once the run no longer waits for a tap that uses this view. */
  abandoned: Failure | undefined;

  constructor(viewOf: (held: HeldView) => Run) {
    this.view = viewOf(this);
  }

  /** Sets the current tap. Returns its view. */
  enter(tap: LiveTap): Run {
    this.tap = tap;
    this.asked = undefined;
    return this.view;
  }

  /** Makes the view reject changes of the run, which no longer waits for its tap. */
  abandon(reason: unknown): void {
    this.abandoned = { error: reason };
  }
}
