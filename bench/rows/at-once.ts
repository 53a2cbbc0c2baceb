import { measureInWorker } from '../measure-in-worker.ts';
import type { SubjectName } from '../subjects.ts';
import type { Measured } from '../worker.ts';
import { plainRun, type Workload } from '../workload.ts';
import { boundsOf, type Figure, pairedRow, type Row, type RowEffort } from './row.ts';

const overlapping: Workload = { ...plainRun, layers: 10, latency: 'turn' };
/** Samples, of 1,000 runs each. */
const samples = 9;

const inMemory = pairedRow(
  'at-once',
  '1,000 runs at once, 10 plugins; each model and tool call takes one turn of the event loop',
  [
    { key: 'floor', label: 'the full floor', subject: 'floor-full', workload: overlapping, per: 1 },
    {
      key: 'async',
      label: 'async taps',
      subject: 'shallot',
      workload: overlapping,
      per: 1,
      bounds: [2, 1.2],
    },
    { key: 'plain', label: 'plain functions', subject: 'shallot-plain', workload: overlapping, per: 1 },
  ],
);

/** The rows about many runs at once in one process: their cost, and how long they block everything else. */
export const atOnceRows: readonly Row[] = [
  {
    ...inMemory,
    figures: {
      ...inMemory.figures,
      stall: ratio('longest stand-still, async taps, to the full floor', [1.3, 1]),
      peak: ratio('peak memory, async taps, to the full floor', [1.3, 1]),
      stallMs: { label: 'longest stand-still, wall ms', kind: 'shown' },
      peakMb: { label: 'peak memory, MB', kind: 'shown' },
    },
    async measure(effort) {
      const costs = await inMemory.measure(effort);
      const floor = await runsAtOnce('floor-full', effort);
      const { stallMs, stallCpuMs, peakMb } = await runsAtOnce('shallot', effort);
      const stall = stallCpuMs / floor.stallCpuMs;
      return { ...costs, stall, peak: peakMb / floor.peakMb, stallMs, peakMb };
    },
  },
  {
    id: 'sqlite-at-once',
    title: 'The same with sessions on SQLite',
    figures: {
      async: ratio('CPU, to a transaction for each run by hand'),
      wallMs: { label: 'wall ms', kind: 'shown', ...boundsOf([1500, 600]) },
      stallMs: { label: 'longest stand-still, ms', kind: 'shown', ...boundsOf([100, 30]) },
      handMs: { label: 'by hand, wall ms', kind: 'shown' },
    },
    async measure(effort) {
      const floor = await runsAtOnce('floor-sqlite', effort);
      const ours = await runsAtOnce('shallot-sqlite', effort);
      return { ...ours, async: ours.cpuMs / floor.cpuMs, handMs: floor.wallMs };
    },
  },
];

function ratio(label: string, bounds?: readonly [number, number]): Figure {
  return { label, kind: 'ratio', ...boundsOf(bounds) };
}

function runsAtOnce(subject: SubjectName, effort: RowEffort): Promise<Measured<'concurrency'>> {
  return measureInWorker(
    { subject, measure: 'concurrency', workload: overlapping, effort: { ...effort, samples } },
    effort.nodeArgs,
  );
}
