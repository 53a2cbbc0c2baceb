import type { PairedCost, PairedEffort } from './measures/paired-cost.ts';
import { figuresOf } from './node-process.ts';
import type { SubjectName } from './subjects.ts';
import type { Workload } from './workload.ts';

/** The job of one process: all sides are compared with the first one. */
export interface PairedJob {
  readonly sides: readonly Side[];
  readonly effort: PairedEffort;
}

export interface Side {
  readonly subject: SubjectName;
  readonly workload: Workload;
  /** The benchmark folder of another build, which contains the subject for that build. Default: this folder. */
  readonly folder?: string;
}

/** Measures the cost of each side, in their order, in one new process. */
export function measurePaired(job: PairedJob, nodeArgs: readonly string[] = []): Promise<PairedCost[]> {
  return figuresOf<PairedCost[]>([...nodeArgs, 'paired-worker.ts', JSON.stringify(job)], {
    cwd: import.meta.dirname,
    timeoutMs: 600_000,
  });
}
