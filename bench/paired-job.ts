import type { PairedCost, PairedEffort } from './measures/paired-cost.ts';
import { figuresOf } from './node-process.ts';
import type { SubjectName } from './subjects.ts';
import type { Workload } from './workload.ts';

/** The job of one process. The others are compared with the first side. */
export interface PairedJob {
  readonly sides: readonly Side[];
  readonly effort: PairedEffort;
}

export interface Side {
  readonly subject: SubjectName;
  readonly workload: Workload;
  /** The benchmark folder of another build, with the subject that fits it; default: this one. */
  readonly folder?: string;
}

/** The cost of each side, in their order, measured in a process of its own. */
export function measurePaired(job: PairedJob, nodeArgs: readonly string[] = []): Promise<PairedCost[]> {
  return figuresOf<PairedCost[]>([...nodeArgs, 'paired-worker.ts', JSON.stringify(job)], {
    cwd: import.meta.dirname,
    timeoutMs: 600_000,
  });
}
