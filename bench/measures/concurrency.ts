import type { SubjectModule } from '../subject.ts';
import { assertTally, createTally } from '../tally.ts';
import type { Workload } from '../workload.ts';
import { runsAtOnce } from './batch.ts';
import { watchEventLoop } from './event-loop.ts';
import { cpuMicros, type Effort, median } from './samples.ts';

/** `stallCpuMs` is what `stallMs` has of CPU time. */
type AtOnceCost = Readonly<Record<'wallMs' | 'cpuMs' | 'stallMs' | 'stallCpuMs' | 'peakMb', number>>;

/** Milliseconds of 1,000 runs at once, the longest time for which the event loop did not turn, and the peak of memory. */
export async function measureConcurrency(
  module: SubjectModule,
  workload: Workload,
  effort: Effort,
): Promise<AtOnceCost> {
  const tally = createTally();
  const subject = await module.create(workload, tally);
  let runs = 0;

  const once = async (): Promise<Omit<AtOnceCost, 'peakMb'>> => {
    const sessions: unknown[] = [];
    for (let run = 0; run < runsAtOnce; run += 1) sessions.push(await subject.open());
    const watch = watchEventLoop();
    const startedCpu = process.cpuUsage();
    const startedWall = performance.now();
    await Promise.all(sessions.map((session) => subject.run(session)));
    const wallMs = performance.now() - startedWall;
    const cpuMs = cpuMicros(startedCpu) / 1000;
    const stall = watch.stop();
    for (const session of sessions) await subject.forget(session);
    runs += runsAtOnce;
    return { wallMs, cpuMs, stallMs: stall.wallMs, stallCpuMs: stall.cpuMs };
  };

  const rounds = [await once()];
  // Later rounds add what the collector leaves for another time.
  const peakMb = process.resourceUsage().maxRSS / 1024;
  const slow = (rounds[0]?.wallMs ?? 0) > effort.warmupMs;
  if (!slow) {
    const warmUntil = performance.now() + effort.warmupMs;
    while (performance.now() < warmUntil) await once();
    rounds.length = 0;
    for (let sample = 0; sample < effort.samples; sample += 1) rounds.push(await once());
  }
  assertTally(tally, workload, module.places, runs);
  return {
    wallMs: median(rounds.map((round) => round.wallMs)),
    cpuMs: median(rounds.map((round) => round.cpuMs)),
    // Whatever else the machine does makes it longer.
    stallMs: Math.min(...rounds.map((round) => round.stallMs)),
    stallCpuMs: median(rounds.map((round) => round.stallCpuMs)),
    peakMb,
  };
}
