import type { Subject } from '../subject.ts';
import type { Workload } from '../workload.ts';
import { cpuMicros } from './samples.ts';

/** The most messages that the open sessions of a batch may hold together. */
const mostMessages = 250_000;

/** The size of a batch if calls wait for the event loop: then the runs of a batch overlap. */
export const runsAtOnce = 1000;

export interface Batch {
  readonly cpuUs: number;
  readonly wallUs: number;
}

/** Returns the number of runs in a batch that should take about `batchMs`. */
export function batchSize({ history, latency }: Workload, batchMs: number, perRunMs: number): number {
  if (latency === 'turn') return runsAtOnce;
  const most = mostMessages / Math.max(history, 1);
  return Math.max(1, Math.floor(Math.min(most, batchMs / perRunMs)));
}

/**
 * Returns the microseconds per run of a batch. Each run has its own session, which is opened before the clock starts
 * and forgotten after it stops.
 */
export async function runBatch(subject: Subject, { latency }: Workload, runs: number): Promise<Batch> {
  const sessions: unknown[] = [];
  for (let run = 0; run < runs; run += 1) sessions.push(await subject.open());
  const startedCpu = process.cpuUsage();
  const startedWall = performance.now();
  if (latency === 'turn') await Promise.all(sessions.map((session) => subject.run(session)));
  else for (const session of sessions) await subject.run(session);
  const wallUs = (performance.now() - startedWall) * 1000;
  const cpuUs = cpuMicros(startedCpu);
  for (const session of sessions) await subject.forget(session);
  return { cpuUs: cpuUs / runs, wallUs: wallUs / runs };
}
