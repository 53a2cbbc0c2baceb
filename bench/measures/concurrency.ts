import type { SubjectModule } from '../subject.ts';
import { assertTally, createTally } from '../tally.ts';
import type { Workload } from '../workload.ts';
import { cpuMicros, type Effort, median } from './samples.ts';

const concurrentRuns = 1000;

/** Wall and CPU milliseconds of 1,000 runs at once, and the longest time for which the event loop did not turn. */
export async function measureConcurrency(
  module: SubjectModule,
  workload: Workload,
  effort: Effort,
): Promise<Record<string, number>> {
  const tally = createTally();
  const subject = await module.create(workload, tally);
  let runs = 0;

  const once = async (): Promise<{ wallMs: number; cpuMs: number; stallMs: number }> => {
    const sessions: unknown[] = [];
    for (let run = 0; run < concurrentRuns; run += 1) sessions.push(await subject.open());
    const watch = watchEventLoop();
    const startedCpu = process.cpuUsage();
    const startedWall = performance.now();
    await Promise.all(sessions.map((session) => subject.run(session)));
    const wallMs = performance.now() - startedWall;
    const cpuMs = cpuMicros(startedCpu) / 1000;
    const stallMs = watch.stop();
    for (const session of sessions) await subject.forget(session);
    runs += concurrentRuns;
    return { wallMs, cpuMs, stallMs };
  };

  const rounds = [await once()];
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
    stallMs: median(rounds.map((round) => round.stallMs)),
  };
}

function watchEventLoop(): { stop(): number } {
  let longest = 0;
  let last = performance.now();
  let running = true;
  const turn = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    stop() {
      running = false;
      return Math.max(longest, performance.now() - last);
    },
  };
}
