import { measureInWorker } from '../measure-in-worker.ts';
import type { SubjectName } from '../subjects.ts';
import type { Measured } from '../worker.ts';
import { plainRun } from '../workload.ts';
import { boundsOf, type Figure, type Row } from './row.ts';

interface Counted {
  readonly key: string;
  readonly label: string;
  readonly layers: number;
  readonly subject: SubjectName;
}

const runs: readonly Counted[] = [
  { key: 'none', label: 'no plugins', layers: 0, subject: 'shallot' },
  { key: 'async', label: '10 plugins, async taps', layers: 10, subject: 'shallot' },
  { key: 'plain', label: '10 plugins, plain functions', layers: 10, subject: 'shallot-plain' },
];

const counted = ['promises', 'timers'] as const;

/** The row of counts, which vary with no machine. */
export const countsRow: Row = {
  id: 'counts',
  title: 'Promises, timers and transactions of a run (2 model calls, 1 tool call)',
  figures: {
    ...Object.fromEntries(
      runs.flatMap(({ key, label }) =>
        counted.map((what): [string, Figure] => [
          `${key}-${what}`,
          { label: `${what}, ${label}`, kind: 'count' },
        ]),
      ),
    ),
    commits: { label: 'transactions on SQLite, 10 plugins, async taps', kind: 'count', ...boundsOf([5, 4]) },
  },
  async measure(effort) {
    const count = (subject: SubjectName, layers: number): Promise<Measured<'counts'>> =>
      measureInWorker(
        { subject, measure: 'counts', workload: { ...plainRun, layers }, effort },
        effort.nodeArgs,
      );
    const figures: Record<string, number> = {};
    for (const { key, layers, subject } of runs) {
      const made = await count(subject, layers);
      for (const what of counted) figures[`${key}-${what}`] = made[what];
    }
    const { commits } = await count('shallot-sqlite', 10);
    return { ...figures, commits };
  },
};
