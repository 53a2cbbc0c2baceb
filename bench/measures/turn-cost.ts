import type { SubjectModule } from '../subject.ts';
import { assertTally, createTally } from '../tally.ts';
import type { Workload } from '../workload.ts';
import { type StandStill, watchEventLoop } from './event-loop.ts';
import { cpuMicros, median } from './samples.ts';

/** Turns that are not counted, because their code is still being compiled. */
const warmup = 10;
const hotTurns = 25;
const coldTurns = 5;
/** The time after which no further warm turn begins, for subjects whose turns take seconds. */
const mostMs = 3000;

/**
 * Measures a turn of a long session: `hotMs` is the CPU time of later turns, `coldMs` of the first one after the store
 * was opened, with the longest stall of the event loop in it.
 */
export async function measureTurnCost(
  module: SubjectModule,
  workload: Workload,
): Promise<{ hotMs: number; coldMs: number; stallMs: number; stallCpuMs: number }> {
  const tally = createTally();
  const subject = await module.create(workload, tally);
  const session = await subject.open();
  const turn = async (): Promise<number> => {
    const started = process.cpuUsage();
    await subject.run(session);
    return cpuMicros(started) / 1000;
  };
  const hot: number[] = [];
  const until = performance.now() + mostMs;
  while (hot.length < warmup + hotTurns && performance.now() < until) hot.push(await turn());
  const cold: number[] = [];
  const stalls: StandStill[] = [];
  for (let run = 0; run < coldTurns; run += 1) {
    await subject.reopen?.();
    const watch = watchEventLoop();
    cold.push(await turn());
    stalls.push(watch.stop());
  }
  assertTally(tally, workload, module.places, hot.length + coldTurns);
  return {
    hotMs: median(hot.slice(-hotTurns)),
    coldMs: median(cold),
    stallMs: Math.min(...stalls.map(({ wallMs }) => wallMs)),
    stallCpuMs: median(stalls.map(({ cpuMs }) => cpuMs)),
  };
}
