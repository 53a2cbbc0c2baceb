import type { RunRecord } from '../../contract/store.ts';
import type { GivenTo } from '../../sessions/questions/questions.ts';

/** The stored record of a run to resume, and the arguments of the resume. */
export interface Resumption {
  readonly record: RunRecord;
  /** The id of this resume, made by `randomId`. */
  readonly id: string;
  readonly given: GivenTo;
  /** The pause after an attempt without progress, in milliseconds; set only by workers. */
  readonly pauseMs: number | undefined;
}
