import type { Interrupt } from '../../contract/interrupt.ts';
import type { RunRecord } from '../../contract/store.ts';

/** Returns the unanswered questions of a run. */
export function openInterrupts(run: RunRecord | undefined): readonly Interrupt[] {
  if (run === undefined) return [];
  return run.interrupts.filter(({ id }) => !Object.hasOwn(run.answers, id));
}
