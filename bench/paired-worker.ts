import { join } from 'node:path';

import { measurePairedCost } from './measures/paired-cost.ts';
import type { PairedJob } from './paired-job.ts';
import type { SubjectModule } from './subject.ts';

/** The job, as JSON, is the only argument. */
const { sides, effort } = JSON.parse(process.argv[2] ?? '') as PairedJob;
const modules = await Promise.all(
  sides.map(async ({ folder = import.meta.dirname, subject: name, workload }) => {
    const { subject } = (await import(join(folder, 'subjects', `${name}.ts`))) as { subject: SubjectModule };
    return { module: subject, workload };
  }),
);
const costs = await measurePairedCost(modules, effort);
process.stdout.write(`\n${JSON.stringify(costs)}\n`, () => process.exit(0));
