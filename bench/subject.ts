import type { LayerPlace, Tally } from './tally.ts';
import type { WalCommits } from './wal-commits.ts';
import type { Workload } from './workload.ts';

/** One agent of a subject, set up for a workload. */
export interface Subject<Session = unknown> {
  /** A new session with the workload's history in it. Not measured. */
  open(): Session | Promise<Session>;
  /** One run in that session; with `workload.chunks` it streams and consumes the stream. Measured. */
  run(session: Session): Promise<void>;
  /** Deletes what the subject itself still keeps of the session. Not measured. */
  forget(session: Session): void | Promise<void>;
  /** Starts again with what is on the disk, as another process would; only for sessions on the disk. */
  reopen?(): void | Promise<void>;
  /** Transactions in the log of the database; only where there is one. */
  commits?(): WalCommits;
}

/** The exports of each file in `subjects/`. */
export interface SubjectModule {
  /** Where the subject lets a plugin stand. */
  readonly places: readonly LayerPlace[];
  /** True if a plugin of it can replace streamed chunks. */
  readonly transforms: boolean;
  create(workload: Workload, tally: Tally): Subject | Promise<Subject>;
}

/** Types a subject's sessions inside its file; outside nobody looks into them. */
export function defineSubject<Session>(module: {
  readonly places: readonly LayerPlace[];
  readonly transforms: boolean;
  create(workload: Workload, tally: Tally): Subject<Session> | Promise<Subject<Session>>;
}): SubjectModule {
  return module;
}
