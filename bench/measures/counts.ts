import { createHook } from 'node:async_hooks';

import type { Subject, SubjectModule } from '../subject.ts';
import { assertTally, createTally } from '../tally.ts';
import type { Workload } from '../workload.ts';

/** Runs before the count, so that work which is done only once is not counted. */
const warmup = 20;
const counted = 20;

/** Counts the promises, timers and transactions of a run. Unlike times, they are the same on every machine. */
export async function measureCounts(
  module: SubjectModule,
  workload: Workload,
): Promise<{ promises: number; timers: number; commits: number }> {
  const tally = createTally();
  const subject = await module.create(workload, tally);
  for (let run = 0; run < warmup; run += 1) await subject.run(await subject.open());
  const sessions: unknown[] = [];
  for (let run = 0; run < counted; run += 1) sessions.push(await subject.open());

  const made = { promises: 0, timers: 0 };
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') made.promises += 1;
      if (type === 'Timeout') made.timers += 1;
    },
  }).enable();
  for (const session of sessions) await subject.run(session);
  hook.disable();
  assertTally(tally, workload, module.places, warmup + counted);
  const commits = await commitsOfRun(subject);
  return { promises: made.promises / counted, timers: made.timers / counted, commits };
}

async function commitsOfRun(subject: Subject): Promise<number> {
  for (;;) {
    const session = await subject.open();
    const before = subject.commits?.();
    await subject.run(session);
    const after = subject.commits?.();
    if (before === undefined || after === undefined) return 0;
    if (before.salt === after.salt) return after.commits - before.commits;
  }
}
