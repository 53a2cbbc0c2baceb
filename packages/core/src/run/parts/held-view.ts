import type { Failure } from '../../base/attempt.ts';
import type { Run } from '../../contract/hooks.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import type { Owner } from '../../hooks/owner.ts';

/** Makes the view that a plugin gets, for the object that holds it. */
export type ViewMaker = (owner: Owner, held: HeldView) => Run;

/** A plugin's view of a run, and the tap that holds it. Plugins see the view alone. */
export class HeldView {
  readonly view: Run;
  /** The current tap, whose key is part of interrupt ids. */
  tap: LiveTap | undefined;
  /** Counts the questions of the current tap. */
  asked: Map<string, number> | undefined;
  /** Set once the run no longer waits for a tap that holds this view. */
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

  /** Makes the view refuse to change the run: the run no longer waits for its tap. */
  abandon(reason: unknown): void {
    this.abandoned = { error: reason };
  }
}
