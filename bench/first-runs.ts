// Measures the first runs in a process, while nothing is compiled yet. With a subject as its argument it measures that
// one; without, it starts a process for each sample, and compares them.
import { join } from 'node:path';

import { cpuMicros, median } from './measures/samples.ts';
import { figuresOf } from './node-process.ts';
import type { SubjectModule } from './subject.ts';
import type { SubjectName } from './subjects.ts';
import { createTally } from './tally.ts';
import { plainRun } from './workload.ts';

/** The number of processes per subject. */
const samples = 5;
const parts = [
  ['ten', 1, 10],
  ['hundred', 10, 100],
  ['thousand', 100, 1000],
] as const;
type Part = (typeof parts)[number][0];
type Costs = Readonly<Record<Part, number>>;

const subjects = ['floor', 'shallot', 'pi'] as const satisfies readonly SubjectName[];
const [, , only] = process.argv;
const figures = only === undefined ? await compare() : await runFirst(only as SubjectName);
process.stdout.write(`\n${JSON.stringify(figures)}\n`, () => process.exit(0));

/** Measures each subject in several processes, in turn. */
async function compare(): Promise<Record<string, number>> {
  const rounds: Record<(typeof subjects)[number], Costs>[] = [];
  for (let round = 0; round < samples; round += 1) {
    const measure = (name: SubjectName): Promise<Costs> =>
      figuresOf<Costs>([join(import.meta.dirname, 'first-runs.ts'), name], {
        cwd: import.meta.dirname,
        timeoutMs: 60_000,
      });
    rounds.push({
      floor: await measure('floor'),
      shallot: await measure('shallot'),
      pi: await measure('pi'),
    });
  }
  const compared: Record<string, number> = {};
  for (const [part] of parts) {
    compared[part] = median(rounds.map(({ shallot, floor }) => shallot[part] / floor[part]));
    compared[`${part}Us`] = median(rounds.map(({ shallot }) => shallot[part]));
  }
  return { ...compared, pi: median(rounds.map(({ shallot, pi }) => shallot.hundred / pi.hundred)) };
}

/** Returns the CPU microseconds per run, for the first runs of this process. */
async function runFirst(name: SubjectName): Promise<Costs> {
  const { subject } = (await import(`./subjects/${name}.ts`)) as { readonly subject: SubjectModule };
  const agent = await subject.create({ ...plainRun, layers: 10 }, createTally());
  const run = async (): Promise<void> => {
    const session = await agent.open();
    await agent.run(session);
    await agent.forget(session);
  };
  await run();
  const costs: Partial<Record<Part, number>> = {};
  for (const [part, from, to] of parts) {
    const begun = process.cpuUsage();
    for (let count = from; count < to; count += 1) await run();
    costs[part] = cpuMicros(begun) / (to - from);
  }
  return costs as Costs;
}
