import { measureImport } from './import-cost.ts';
import { measureInstalledSize } from './installed-size.ts';
import { measureInWorker } from './measure-in-worker.ts';
import type { Effort } from './measures/samples.ts';
import {
  agents,
  entryPoints,
  floors,
  packages,
  products,
  type SubjectName,
  transformingAgents,
} from './subjects.ts';
import type { Measure } from './worker.ts';
import { plainRun, type Workload } from './workload.ts';

/** A measurement that is made of several subjects. */
export interface Case {
  readonly id: string;
  readonly title: string;
  /** The columns of the table, by figure; ratios are computed from the first. */
  readonly figures: Readonly<Record<string, string>>;
  readonly subjects: readonly SubjectName[];
  /** Set for a case that is measured only once, whatever the number of rounds, and skipped in a quick run. */
  readonly slow?: true;
  /** Measures a subject. `nodeArgs` are for the subject's process, if it has one of its own. */
  measure(subject: SubjectName, effort: Effort, nodeArgs: readonly string[]): Promise<Record<string, number>>;
}

const tenLayers: Workload = { ...plainRun, layers: 10 };
const perRun = { cpuUs: 'CPU µs a run', wallUs: 'wall µs a run' };
const perStep = { cpuUs: 'CPU µs a step', wallUs: 'wall µs a step' };
const perChunk = { cpuUs: 'CPU µs a chunk', wallUs: 'wall µs a chunk' };
const chunks = 1000;

export const cases: readonly Case[] = [
  ...[0, 1, 10, 50].map((layers) =>
    workerCase({
      id: `layers-${layers}`,
      title: `A run (2 model calls, 1 tool call) with ${layers} pass-through plugins`,
      figures: perRun,
      subjects: [...floors, ...agents],
      measure: 'run-cost',
      workload: { ...plainRun, layers },
    }),
  ),
  ...[1, 10, 50, 200].map((steps) =>
    workerCase({
      id: `steps-${steps}`,
      title: `A step of a run with ${steps} tool steps, 10 plugins`,
      figures: perStep,
      subjects: ['floor', 'floor-full', ...agents],
      measure: 'run-cost',
      workload: { ...tenLayers, steps },
      divideBy: steps,
    }),
  ),
  workerCase({
    id: 'history-10000',
    title: 'A run in a session of 10,000 messages, 10 plugins',
    figures: perRun,
    subjects: ['floor', 'floor-full', ...agents],
    measure: 'run-cost',
    workload: { ...tenLayers, history: 10_000 },
  }),
  workerCase({
    id: 'chunks-untouched',
    title: 'A streamed chunk that passes 10 plugins',
    figures: perChunk,
    subjects: ['floor', 'floor-full', 'floor-generators', ...agents],
    measure: 'run-cost',
    workload: { ...tenLayers, steps: 0, chunks },
    divideBy: chunks,
  }),
  workerCase({
    id: 'chunks-transformed',
    title: 'A streamed chunk that each of 10 plugins replaces',
    figures: perChunk,
    subjects: ['floor', 'floor-full', 'floor-generators', ...transformingAgents],
    measure: 'run-cost',
    workload: { ...tenLayers, steps: 0, chunks, transform: true },
    divideBy: chunks,
  }),
  workerCase({
    id: 'concurrent',
    title: '1,000 runs at once, 10 plugins, each model and tool call one turn of the event loop',
    figures: { wallMs: 'wall ms', cpuMs: 'CPU ms', stallMs: 'longest stall, ms' },
    subjects: ['floor', 'floor-full', ...agents],
    measure: 'concurrency',
    workload: { ...tenLayers, latency: 'turn' },
  }),
  workerCase({
    id: 'agent-heap',
    title: 'Heap of an idle agent with 10 plugins',
    figures: { bytes: 'bytes' },
    // For pi and Strands an agent is a session, so the next row measures them.
    subjects: ['floor', 'floor-full', 'shallot', 'ai', 'langchain', 'openai-agents', 'mastra'],
    measure: 'agent-heap',
    workload: tenLayers,
  }),
  workerCase({
    id: 'session-heap',
    title: 'Heap of an idle session after one run, 10 plugins',
    figures: { bytes: 'bytes', sessions: 'sessions' },
    subjects: ['floor', 'floor-full', ...agents],
    measure: 'session-heap',
    workload: tenLayers,
  }),
  workerCase({
    id: 'heap-growth',
    title: 'Heap that stays behind after a run whose session was deleted, over 10,000 runs, 10 plugins',
    figures: { bytesPerRun: 'bytes a run', runs: 'runs' },
    subjects: ['floor', 'floor-full', ...agents],
    measure: 'heap-growth',
    workload: tenLayers,
  }),
  {
    id: 'import',
    title: 'Importing the package, over an empty process',
    figures: { cpuMs: 'CPU ms', wallMs: 'wall ms', modules: 'files' },
    subjects: products,
    measure: (subject) => measureImport(entryPoints[subject] ?? packageOf(subject), import.meta.dirname),
  },
  workerCase({
    id: 'first-answer',
    title: 'From the start of the process to its first answer, no plugins',
    figures: { wallMs: 'wall ms', cpuMs: 'CPU ms' },
    subjects: ['floor', ...products],
    measure: 'first-answer',
    workload: plainRun,
  }),
  {
    id: 'installed',
    title: 'A fresh install of the package with its dependencies',
    figures: { diskMb: 'MB on disk', contentMb: 'MB of content', packages: 'packages' },
    subjects: products,
    slow: true,
    measure: (subject) => Promise.resolve(measureInstalledSize([packageOf(subject)])),
  },
];

function workerCase(given: {
  readonly id: string;
  readonly title: string;
  readonly figures: Case['figures'];
  readonly subjects: readonly SubjectName[];
  readonly measure: Measure;
  readonly workload: Workload;
  /** The divisor of the microseconds. */
  readonly divideBy?: number;
}): Case {
  const { id, title, figures, subjects, measure, workload, divideBy = 1 } = given;
  return {
    id,
    title,
    figures,
    subjects,
    async measure(subject, effort, nodeArgs) {
      const measured: Record<string, number> = await measureInWorker(
        { subject, measure, workload, effort },
        nodeArgs,
      );
      for (const key of ['cpuUs', 'wallUs']) {
        if (measured[key] !== undefined) measured[key] /= divideBy;
      }
      return measured;
    },
  };
}

function packageOf(subject: SubjectName): string {
  const name = packages[subject];
  if (name === undefined) throw new Error(`${subject} is not a package`);
  return name;
}
