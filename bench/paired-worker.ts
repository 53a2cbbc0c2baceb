import { join } from 'node:path';

import { measurePairedCost } from './measures/paired-cost.ts';
import type { SubjectModule } from './subject.ts';
import type { Workload } from './workload.ts';

/** Its only argument, as JSON: the benchmark folders of two builds, each with the subject that fits it. */
export interface Job {
  readonly before: string;
  readonly after: string;
  readonly workload: Workload;
  readonly turns: number;
}

const { before, after, workload, turns } = JSON.parse(process.argv[2] ?? '') as Job;
const [old, now] = await Promise.all([before, after].map(subjectIn));
if (old === undefined || now === undefined) throw new Error('two builds are needed');
const cost = await measurePairedCost(old, now, workload, { warmupMs: 1500, sliceMs: 4, turns });
process.stdout.write(`\n${JSON.stringify(cost)}\n`, () => process.exit(0));

async function subjectIn(folder: string): Promise<SubjectModule> {
  const { subject } = (await import(join(folder, 'subjects', 'shallot.ts'))) as { subject: SubjectModule };
  return subject;
}
