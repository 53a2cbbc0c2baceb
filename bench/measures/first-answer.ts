import type { SubjectModule } from '../subject.ts';
import { assertTally, createTally } from '../tally.ts';
import type { Workload } from '../workload.ts';
import { cpuMicros } from './samples.ts';

/**
 * Measures the milliseconds from the start of the process to the end of its first run, and the parts of it that
 * creating the agent and running it take.
 */
export async function measureFirstAnswer(
  module: SubjectModule,
  workload: Workload,
): Promise<{ wallMs: number; cpuMs: number; agentMs: number; runMs: number }> {
  const tally = createTally();
  const loadedMs = performance.now();
  const subject = await module.create(workload, tally);
  const agentMs = performance.now() - loadedMs;
  await subject.run(await subject.open());
  // Both clocks count from the start of the process.
  const [wallMs, cpuMs] = [performance.now(), cpuMicros() / 1000];
  const figures = { wallMs, cpuMs, agentMs, runMs: wallMs - loadedMs - agentMs };
  assertTally(tally, workload, module.places, 1);
  return figures;
}
