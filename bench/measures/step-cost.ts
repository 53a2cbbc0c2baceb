import type { SubjectModule } from '../subject.ts';
import { assertTally, createTally } from '../tally.ts';
import type { Workload } from '../workload.ts';
import { cpuMicros, type Effort, median } from './samples.ts';

const mostSteps = 20;
const fewestSteps = 2;
/** A step that takes longer than this needs no second look. */
const slowStepUs = 500_000;

/**
 * Microseconds of one more step on a long history. The model itself reads the clock at its first and its last call of a
 * run, so that loading the session and ending the run stay outside.
 */
export async function measureStepCost(
  module: SubjectModule,
  workload: Workload,
  effort: Effort,
): Promise<Record<string, number>> {
  const probe = await stepTimer(module, { ...workload, steps: fewestSteps });
  const first = await probe.run();
  if (first.wallUs > slowStepUs) {
    probe.check();
    return { ...first, steps: fewestSteps };
  }
  const budgetUs = effort.sampleMs * 1000 * 4;
  const steps = Math.max(fewestSteps, Math.min(mostSteps, Math.floor(budgetUs / first.wallUs)));

  const timer = await stepTimer(module, { ...workload, steps });
  const cpu: number[] = [];
  const wall: number[] = [];
  const slow = first.wallUs * steps > budgetUs;
  if (!slow) {
    const warmUntil = performance.now() + effort.warmupMs;
    while (performance.now() < warmUntil) await timer.run();
  }
  for (let sample = 0; sample < (slow ? 2 : effort.samples * 2); sample += 1) {
    const { cpuUs, wallUs } = await timer.run();
    cpu.push(cpuUs);
    wall.push(wallUs);
  }
  timer.check();
  return { cpuUs: median(cpu), wallUs: median(wall), steps };
}

async function stepTimer(
  module: SubjectModule,
  workload: Workload,
): Promise<{ run(): Promise<{ cpuUs: number; wallUs: number }>; check(): void }> {
  const tally = createTally();
  const subject = await module.create(workload, tally);
  let runs = 0;
  return {
    async run() {
      const session = await subject.open();
      let calls = 0;
      let startedCpu: NodeJS.CpuUsage | undefined;
      let startedWall = 0;
      let cpuUs = 0;
      let wallUs = 0;
      tally.onModelCall = () => {
        calls += 1;
        if (calls === 1) {
          startedWall = performance.now();
          startedCpu = process.cpuUsage();
        } else if (calls === workload.steps + 1) {
          cpuUs = cpuMicros(startedCpu);
          wallUs = (performance.now() - startedWall) * 1000;
        }
      };
      await subject.run(session);
      await subject.forget(session);
      runs += 1;
      return { cpuUs: cpuUs / workload.steps, wallUs: wallUs / workload.steps };
    },
    check: () => assertTally(tally, workload, module.places, runs),
  };
}
