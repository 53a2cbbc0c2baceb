import type { SubjectModule } from '../subject.ts';
import { assertTally, createTally } from '../tally.ts';
import type { Workload } from '../workload.ts';
import { cpuMicros } from './samples.ts';

/** Milliseconds from the start of the process to the end of its first run. */
export async function measureFirstAnswer(
  module: SubjectModule,
  workload: Workload,
): Promise<{ wallMs: number; cpuMs: number }> {
  const tally = createTally();
  const subject = await module.create(workload, tally);
  await subject.run(await subject.open());
  // performance.now() counts from the start of the process, and so does cpuUsage().
  const figures = { wallMs: performance.now(), cpuMs: cpuMicros() / 1000 };
  assertTally(tally, workload, module.places, 1);
  return figures;
}
