import type { SubjectModule } from '../subject.ts';
import { assertTally, createTally } from '../tally.ts';
import type { Workload } from '../workload.ts';
import { runsAtOnce } from './batch.ts';
import { watchEventLoop } from './event-loop.ts';
import { cpuMicros, type Effort, median } from './samples.ts';

/** `stallCpuMs` is the longest stall in CPU time of this thread; `stallMs`, by the clock. */
type AtOnceCost = Readonly<Record<'wallMs' | 'cpuMs' | 'stallMs' | 'stallCpuMs' | 'peakMb', number>>;

/** Measures 1,000 runs at once: their time, the longest stall of the event loop, and the peak memory. */
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
  // Read after the first round, because later ones also add garbage that the collector has not yet freed.
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
    // The minimum, because other work on the machine can only lengthen a stall.
    stallMs: Math.min(...rounds.map((round) => round.stallMs)),
    stallCpuMs: median(rounds.map((round) => round.stallCpuMs)),
    peakMb,
  };
}
