import type { Subject, SubjectModule } from '../subject.ts';
import { assertTally, createTally } from '../tally.ts';
import type { Workload } from '../workload.ts';
import { cpuMicros, type Effort, median } from './samples.ts';

const fewestSamples = 3;
/** How much longer than planned the samples of a slow subject may take before they become fewer. */
const slowFactor = 5;

/** Microseconds of a whole run: the median over batches of about `effort.sampleMs` each. */
export async function measureRunCost(
  module: SubjectModule,
  workload: Workload,
  effort: Effort,
): Promise<Record<string, number>> {
  const tally = createTally();
  const subject = await module.create(workload, tally);

  await runBatch(subject, 1);
  assertTally(tally, workload, module.places, 1);
  let runs = 1;
  let batch = 1;
  const warmUntil = performance.now() + effort.warmupMs;
  let perRunMs = Number.POSITIVE_INFINITY;
  while (performance.now() < warmUntil) {
    const { wallUs } = await runBatch(subject, batch);
    runs += batch;
    perRunMs = wallUs / batch / 1000;
    batch = Math.max(1, Math.min(batch * 2, Math.floor(effort.sampleMs / perRunMs)));
  }

  const cpu: number[] = [];
  const wall: number[] = [];
  const until = performance.now() + effort.sampleMs * effort.samples * slowFactor;
  for (let sample = 0; sample < effort.samples; sample += 1) {
    if (sample >= fewestSamples && performance.now() > until) break;
    const { cpuUs, wallUs } = await runBatch(subject, batch);
    runs += batch;
    cpu.push(cpuUs / batch);
    wall.push(wallUs / batch);
  }
  assertTally(tally, workload, module.places, runs);
  return { cpuUs: median(cpu), wallUs: median(wall), runs };
}

async function runBatch(subject: Subject, runs: number): Promise<{ cpuUs: number; wallUs: number }> {
  const sessions: unknown[] = [];
  for (let run = 0; run < runs; run += 1) sessions.push(await subject.open());
  const startedCpu = process.cpuUsage();
  const startedWall = performance.now();
  for (const session of sessions) await subject.run(session);
  const wallUs = (performance.now() - startedWall) * 1000;
  const cpuUs = cpuMicros(startedCpu);
  for (const session of sessions) await subject.forget(session);
  return { cpuUs, wallUs };
}
