import type { SubjectModule } from '../subject.ts';
import { assertTally, createTally } from '../tally.ts';
import type { Workload } from '../workload.ts';
import { type Batch, batchSize, runBatch } from './batch.ts';
import { type Effort, median } from './samples.ts';

const fewestSamples = 3;
/** The factor by which a slow subject may exceed the planned time before it takes fewer samples. */
const slowFactor = 5;

/** Measures the microseconds of a whole run: the median over batches of about `effort.sampleMs` each. */
export async function measureRunCost(
  module: SubjectModule,
  workload: Workload,
  effort: Effort,
): Promise<Record<string, number>> {
  const tally = createTally();
  const subject = await module.create(workload, tally);

  await runBatch(subject, workload, 1);
  assertTally(tally, workload, module.places, 1);
  let runs = 1;
  let batch = 1;
  const warmUntil = performance.now() + effort.warmupMs;
  while (performance.now() < warmUntil) {
    const { wallUs } = await runBatch(subject, workload, batch);
    runs += batch;
    batch = Math.min(batch * 2, batchSize(workload, effort.sampleMs, wallUs / 1000));
  }

  const batches: Batch[] = [];
  const until = performance.now() + effort.sampleMs * effort.samples * slowFactor;
  for (let sample = 0; sample < effort.samples; sample += 1) {
    if (sample >= fewestSamples && performance.now() > until) break;
    batches.push(await runBatch(subject, workload, batch));
    runs += batch;
  }
  assertTally(tally, workload, module.places, runs);
  return {
    cpuUs: median(batches.map(({ cpuUs }) => cpuUs)),
    wallUs: median(batches.map(({ wallUs }) => wallUs)),
    runs,
  };
}
