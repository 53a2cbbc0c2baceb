import { measureInWorker } from '../measure-in-worker.ts';
import type { SubjectName } from '../subjects.ts';
import type { Measured } from '../worker.ts';
import { plainRun } from '../workload.ts';
import { boundsOf, type Row, type RowEffort } from './row.ts';

/** The rows about what a longer conversation adds to a turn when sessions are on disk. */
export const sqliteRows: readonly Row[] = [
  {
    id: 'sqlite-turn-10000',
    title: 'What 10,000 messages add to a turn of a session on SQLite, no plugins',
    figures: {
      hot: { label: 'a hot turn, to one of 10 messages', kind: 'ratio' },
      cold: { label: 'added to the first turn, to SELECT and JSON.parse', kind: 'ratio' },
      hotMs: { label: 'added to a hot turn, CPU ms', kind: 'shown', ...boundsOf([2, 1]) },
      coldMs: { label: 'added to the first turn, CPU ms', kind: 'shown', ...boundsOf([60, 20]) },
      shortMs: { label: 'a hot turn of 10 messages, CPU ms', kind: 'shown' },
      handMs: { label: 'SELECT and JSON.parse, CPU ms', kind: 'shown' },
    },
    async measure(effort) {
      const short = await turn('shallot-sqlite', 10, effort);
      const long = await turn('shallot-sqlite', 10_000, effort);
      const handMs = await readingByHand(10_000, effort);
      const coldMs = long.coldMs - short.coldMs;
      return {
        hot: long.hotMs / short.hotMs,
        cold: coldMs / handMs,
        hotMs: long.hotMs - short.hotMs,
        coldMs,
        shortMs: short.hotMs,
        handMs,
      };
    },
  },
  {
    id: 'sqlite-cold-100000',
    title: 'The first turn of a session of 100,000 messages on SQLite, no plugins',
    figures: {
      stall: { label: 'longest stand-still in CPU time, to SELECT and JSON.parse', kind: 'ratio' },
      stallMs: { label: 'longest stand-still, wall ms', kind: 'shown', ...boundsOf([50, 50]) },
      coldMs: { label: 'the turn, CPU ms', kind: 'shown' },
      handMs: { label: 'SELECT and JSON.parse, CPU ms', kind: 'shown' },
    },
    async measure(effort) {
      const { stallMs, stallCpuMs, coldMs } = await turn('shallot-sqlite', 100_000, effort);
      const handMs = await readingByHand(100_000, effort);
      return { stall: stallCpuMs / handMs, stallMs, coldMs, handMs };
    },
  },
];

async function readingByHand(messages: number, effort: RowEffort): Promise<number> {
  const { hotMs } = await turn('floor-sqlite', messages, effort);
  return hotMs - (await turn('floor-sqlite', 10, effort)).hotMs;
}

function turn(subject: SubjectName, history: number, effort: RowEffort): Promise<Measured<'turn-cost'>> {
  const workload = { ...plainRun, history };
  return measureInWorker({ subject, measure: 'turn-cost', workload, effort }, effort.nodeArgs);
}
