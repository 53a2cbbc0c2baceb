import type { RunAgent, SessionAbout, SessionChange, SessionStatus } from '../../contract/store.ts';
import { openInterrupts } from '../content/open-interrupts.ts';
import { dueAt, leavesMessages, statusOf } from './due-at.ts';

/** The members of a session that listings show and filter by, taken from its last run. */
export interface RunColumns {
  readonly status: SessionStatus | undefined;
  readonly agent: RunAgent | undefined;
  readonly interrupts: number;
  /** In milliseconds since 1970. */
  readonly due: number | undefined;
  /** True if the session is due at once while entries are in its inbox. */
  readonly isDueIfSent: boolean;
}

/** Returns the columns for the run of a change; undefined if the change has no run, so that they stay unchanged. */
export function runColumns({ run }: SessionChange): RunColumns | undefined {
  if (run === undefined) return undefined;
  return {
    status: statusOf(run),
    agent: run.agent,
    interrupts: openInterrupts(run).length,
    due: dueAt(run),
    isDueIfSent: leavesMessages(run),
  };
}

/** Returns the notes that a commit stores: only `setTitle` changes an existing title. */
export function nextAbout(noted: SessionAbout | undefined, about: SessionAbout): SessionAbout {
  return noted?.title === undefined ? about : { ...about, title: noted.title };
}
