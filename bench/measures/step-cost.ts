import type { SubjectModule } from '../subject.ts';
import { assertTally, createTally } from '../tally.ts';
import type { Workload } from '../workload.ts';
import { cpuMicros, type Effort, median } from './samples.ts';

const mostSteps = 20;
const fewestSteps = 2;
/** A step that takes longer than this needs no second look. */
const slowStepUs = 500_000;
/** Runs of the probe after which its time says something. */
const probes = 3;

interface RunTimes {
  readonly cpuUs: number;
  readonly wallUs: number;
  /** What the run takes beside its steps: reading the session, the first step's preparations, the end. */
  readonly restUs: number;
}

/**
 * Microseconds of one more step on a long history. The model itself reads the clock at its second and its last call of
 * a run, so that what happens once a run stays outside; that is in `restUs`.
 */
export async function measureStepCost(
  module: SubjectModule,
  workload: Workload,
  effort: Effort,
): Promise<Record<string, number>> {
  const probe = await stepTimer(module, { ...workload, steps: fewestSteps });
  let probed = await probe.run();
  if (probed.wallUs > slowStepUs) {
    probe.check();
    return { ...probed, steps: fewestSteps };
  }
  for (let run = 1; run < probes; run += 1) probed = await probe.run();
  const budgetUs = effort.sampleMs * 1000 * 4;
  const steps = Math.max(fewestSteps, Math.min(mostSteps, Math.floor(budgetUs / probed.wallUs)));

  const timer = await stepTimer(module, { ...workload, steps });
  const warmUntil = performance.now() + effort.warmupMs;
  while (performance.now() < warmUntil) await timer.run();
  const runs: RunTimes[] = [];
  for (let sample = 0; sample < effort.samples * 2; sample += 1) runs.push(await timer.run());
  timer.check();
  return {
    cpuUs: median(runs.map((run) => run.cpuUs)),
    wallUs: median(runs.map((run) => run.wallUs)),
    restUs: median(runs.map((run) => run.restUs)),
    steps,
  };
}

async function stepTimer(
  module: SubjectModule,
  workload: Workload,
): Promise<{ run(): Promise<RunTimes>; check(): void }> {
  const tally = createTally();
  const subject = await module.create(workload, tally);
  const timed = workload.steps - 1;
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
        if (calls === 2) {
          startedWall = performance.now();
          startedCpu = process.cpuUsage();
        } else if (calls === workload.steps + 1) {
          cpuUs = cpuMicros(startedCpu) / timed;
          wallUs = ((performance.now() - startedWall) * 1000) / timed;
        }
      };
      const begun = process.cpuUsage();
      await subject.run(session);
      const restUs = cpuMicros(begun) - cpuUs * workload.steps;
      await subject.forget(session);
      runs += 1;
      return { cpuUs, wallUs, restUs };
    },
    check: () => assertTally(tally, workload, module.places, runs),
  };
}
