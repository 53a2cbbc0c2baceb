import type { Interrupt } from '../../contract/interrupt.ts';
import type { RunRecord } from '../../contract/store.ts';

/** Returns the unanswered questions of a run. */
export function openInterrupts(run: RunRecord | undefined): readonly Interrupt[] {
  if (run === undefined) return [];
  return run.interrupts.filter(({ id }) => !Object.hasOwn(run.answers, id));
}

/** Returns the call of this run that waits for an answer; undefined for a question of a before or after hook. */
export function askerOf({ call, under }: Pick<Interrupt, 'call' | 'under'>): string | undefined {
  return under === undefined ? call?.id : under[0];
}
