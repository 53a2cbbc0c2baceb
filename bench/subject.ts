import type { LayerPlace, Tally } from './tally.ts';
import type { WalCommits } from './wal-commits.ts';
import type { Workload } from './workload.ts';

/** One agent of a subject, set up for a workload. */
export interface Subject<Session = unknown> {
  /** Opens a new session that holds the workload's history. Not measured. */
  open(): Session | Promise<Session>;
  /** Executes one run in that session; with `workload.chunks` it streams, and consumes the stream. Measured. */
  run(session: Session): Promise<void>;
  /** Deletes what the subject still keeps of the session. Not measured. */
  forget(session: Session): void | Promise<void>;
  /** Opens the store again, as a new process would. Only subjects with sessions on disk have it. */
  reopen?(): void | Promise<void>;
  /** Returns the transactions in the write-ahead log. Only subjects with a database have it. */
  commits?(): WalCommits;
}

/** The exports of each file in `subjects/`. */
export interface SubjectModule {
  /** The places at which the subject accepts a plugin. */
  readonly places: readonly LayerPlace[];
  /** True if a plugin can replace streamed chunks. */
  readonly transforms: boolean;
  create(workload: Workload, tally: Tally): Subject | Promise<Subject>;
}

/** Lets a subject use its own type of session, which nothing outside its file sees. */
export function defineSubject<Session>(module: {
  readonly places: readonly LayerPlace[];
  readonly transforms: boolean;
  create(workload: Workload, tally: Tally): Subject<Session> | Promise<Subject<Session>>;
}): SubjectModule {
  return module;
}
