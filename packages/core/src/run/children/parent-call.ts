import type { CallAddress } from '../../base/address.ts';
import type { RunUsage } from '../../contract/usage.ts';
import type { LiveSession } from '../../sessions/live/live-session.ts';
import { callAddressOf } from '../address-of.ts';
import type { ChildRuns, ParentRun, TreeState } from '../child-terms.ts';
import type { RunParts } from '../run-parts.ts';

/** The background children of the run of a call. */
export interface ChildrenBeside {
  /** Executes children. */
  readonly runs: ChildRuns;
  /** True while the children have to end after their current step. */
  readonly isPausing: boolean;
}

/** A tool call that begins children, as the children see it. */
export class ParentCall implements ParentRun {
  readonly call: CallAddress;
  readonly #run: RunParts;
  readonly #children: ChildrenBeside;

  /** `step` is the step of the call, passed for a child in the background. */
  constructor(run: RunParts, children: ChildrenBeside, callId: string, step?: number) {
    this.#run = run;
    this.#children = children;
    this.call = callAddressOf(run.terms, run.record, callId, step);
  }

  get session(): LiveSession {
    return this.#run.record.session;
  }

  get root(): TreeState {
    return this.#run.plugins.root;
  }

  get rootId(): string {
    return this.#run.terms.parent?.rootId ?? this.session.id;
  }

  get isStopping(): boolean {
    const { life, terms } = this.#run;
    return life.isStopping || this.#children.isPausing || terms.parent?.isStopping === true;
  }

  noteUsage(childId: string, usage: RunUsage, hasResult = false): void {
    const { life, record, terms } = this.#run;
    if (life.isOver) return;
    record.progress.children.set(childId, usage);
    if (hasResult) record.progress.children.end(childId);
    record.recordSoon();
    terms.parent?.noteUsage(record.session.id, record.progress.settledUsage);
  }
}
