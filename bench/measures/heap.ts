import type { SubjectModule } from '../subject.ts';
import { assertTally, createTally } from '../tally.ts';
import type { Workload } from '../workload.ts';
import type { Effort } from './samples.ts';
import { settledHeap } from './samples.ts';

const heldAgents = 100;
const heldSessions = 1000;
const growthRuns = 10_000;
/** A subject too slow for all runs makes only as many as fit into its warm-up time multiplied by this. */
const growthBudgetFactor = 50;
const sessionBudgetFactor = 15;

/** Measures the bytes of heap that one more idle agent takes. */
export async function measureAgentHeap(
  module: SubjectModule,
  workload: Workload,
): Promise<{ bytes: number }> {
  const tally = createTally();
  // The first agents pay for what all of them share: compiled code, caches, hidden classes.
  const shared = [];
  for (let agent = 0; agent < 10; agent += 1) {
    const subject = await module.create(workload, tally);
    await subject.run(await subject.open());
    shared.push(subject);
  }
  const held: unknown[] = [];
  const before = settledHeap();
  for (let agent = 0; agent < heldAgents; agent += 1) held.push(await module.create(workload, tally));
  const bytes = (settledHeap() - before) / held.length;
  assertTally(tally, workload, module.places, shared.length);
  return { bytes };
}

/** Measures the bytes of heap that one more session takes after one run, while it waits for the next. */
export async function measureSessionHeap(
  module: SubjectModule,
  workload: Workload,
  effort: Effort,
): Promise<Record<string, number>> {
  const tally = createTally();
  const subject = await module.create(workload, tally);
  const held: unknown[] = [];
  const addSessions = async (count: number): Promise<number> => {
    const before = held.length;
    const until = performance.now() + effort.warmupMs * sessionBudgetFactor;
    while (held.length - before < count && performance.now() < until) {
      const session = await subject.open();
      await subject.run(session);
      held.push(session);
    }
    return held.length - before;
  };
  await addSessions(heldSessions);
  const before = settledHeap();
  const sessions = await addSessions(heldSessions);
  const bytes = (settledHeap() - before) / sessions;
  assertTally(tally, workload, module.places, held.length);
  return { bytes, sessions };
}

/** Measures the bytes of heap per run that remain although each session is deleted after its run. */
export async function measureHeapGrowth(
  module: SubjectModule,
  workload: Workload,
  effort: Effort,
): Promise<{ bytesPerRun: number; runs: number }> {
  const tally = createTally();
  const subject = await module.create(workload, tally);
  let total = 0;
  const repeat = async (runs: number, budgetMs: number): Promise<number> => {
    const until = performance.now() + budgetMs;
    let done = 0;
    while (done < runs && performance.now() < until) {
      const session = await subject.open();
      await subject.run(session);
      await subject.forget(session);
      done += 1;
    }
    total += done;
    return done;
  };
  await repeat(growthRuns, effort.warmupMs * 10);
  const before = settledHeap();
  const runs = await repeat(growthRuns, effort.warmupMs * growthBudgetFactor);
  const bytesPerRun = (settledHeap() - before) / runs;
  assertTally(tally, workload, module.places, total);
  return { bytesPerRun, runs };
}
