import type { Subject } from '../subject.ts';
import type { Workload } from '../workload.ts';
import { cpuMicros } from './samples.ts';

/** Messages of the sessions that are open for a batch, at the most. */
const mostMessages = 250_000;

/** Runs that wait overlap: a batch of them are so many at once. */
export const runsAtOnce = 1000;

export interface Batch {
  readonly cpuUs: number;
  readonly wallUs: number;
}

/** The most runs of a batch that should take `batchMs`. */
export function batchSize({ history, latency }: Workload, batchMs: number, perRunMs: number): number {
  if (latency === 'turn') return runsAtOnce;
  const most = mostMessages / Math.max(history, 1);
  return Math.max(1, Math.floor(Math.min(most, batchMs / perRunMs)));
}

/** Microseconds a run, over so many, each in a session of its own that is opened before and forgotten after. */
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
