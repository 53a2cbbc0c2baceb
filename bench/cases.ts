import { createConfigFixture, loadingScript } from './config-fixture.ts';
import { measureImport, measureScript } from './import-cost.ts';
import { measureInstalledSize } from './installed-size.ts';
import { measureInWorker } from './measure-in-worker.ts';
import type { Effort } from './measures/samples.ts';
import { figuresOf } from './node-process.ts';
import { agents, entryPoints, floors, packages, type SubjectName, transformingAgents } from './subjects.ts';
import type { Measure } from './worker.ts';
import { plainRun, type Workload } from './workload.ts';

/** One thing that is measured, for several subjects. */
export interface Case {
  readonly id: string;
  readonly title: string;
  /** What the table shows, the figure that ratios are made of first. */
  readonly figures: Readonly<Record<string, string>>;
  readonly subjects: readonly SubjectName[];
  /** Measured once however many rounds there are, and not in a quick run. */
  readonly slow?: true;
  /** `nodeArgs` are for the subject's process, where it has one that does nothing else. */
  measure(subject: SubjectName, effort: Effort, nodeArgs: readonly string[]): Promise<Record<string, number>>;
}

const timeoutMs = 180_000;
const tenLayers: Workload = { ...plainRun, layers: 10 };
const perRun = { cpuUs: 'CPU µs a run', wallUs: 'wall µs a run' };
const perStep = { cpuUs: 'CPU µs a step', wallUs: 'wall µs a step' };
const perChunk = { cpuUs: 'CPU µs a chunk', wallUs: 'wall µs a chunk' };
const perCommit = { wallMs: 'wall ms' };
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
    // Agents of pi and Strands are sessions: their row is the next one.
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
    subjects: agents,
    measure: (subject) => measureImport(entryPoints[subject] ?? packageOf(subject), import.meta.dirname),
  },
  workerCase({
    id: 'first-answer',
    title: 'From the start of the process to its first answer, no plugins',
    figures: { wallMs: 'wall ms', cpuMs: 'CPU ms' },
    subjects: ['floor', ...agents],
    measure: 'first-answer',
    workload: plainRun,
  }),
  ...[5, 25].map((plugins): Case => ({
    id: `config-${plugins}`,
    title: `Loading a YAML config with ${plugins} plugin packages, over an empty process`,
    figures: { cpuMs: 'CPU ms', wallMs: 'wall ms' },
    subjects: ['shallot'],
    async measure() {
      const fixture = createConfigFixture(plugins);
      try {
        return await measureScript(loadingScript(plugins), fixture.folder);
      } finally {
        fixture.remove();
      }
    },
  })),
  ...[10, 10_000].map((messages) =>
    programCase(
      `commit-${messages}`,
      `A durable commit at message ${messages.toLocaleString('en')}`,
      perCommit,
      ['durable-store.ts', 'commit', messages],
    ),
  ),
  programCase('list-sessions', 'The first page of 10,000 sessions', perCommit, [
    'durable-store.ts',
    'list',
    10_000,
  ]),
  {
    id: 'installed',
    title: 'A fresh install of the package with its dependencies',
    figures: { diskMb: 'MB on disk', contentMb: 'MB of content', packages: 'packages' },
    subjects: agents,
    slow: true,
    measure: (subject) => Promise.resolve(measureInstalledSize([packageOf(subject)])),
  },
  ...[100, 10_000].map((messages) =>
    programCase(
      `summarization-step-${messages}`,
      `A step with summarization in a session of ${messages.toLocaleString('en')} messages, below the trigger`,
      { cpuUs: 'CPU µs a step', plainUs: 'without, CPU µs' },
      ['summarization.ts', 'step', messages],
    ),
  ),
  programCase(
    'summarization-sections',
    'The 91st to 100th section of a history file on a disk',
    { cpuUs: 'CPU µs a section', firstUs: 'the first ten, CPU µs' },
    ['summarization.ts', 'sections', 100],
  ),
  programCase(
    'telemetry',
    'A run with 10 plugins and telemetry: without an SDK, and what a span takes beside what the SDK does',
    {
      idleRatio: 'without an SDK, to the run without telemetry',
      idleUs: 'CPU µs a run',
      plainUs: 'without telemetry, CPU µs',
      ownUs: 'of our own, CPU µs a span',
      bareUs: 'a span of the SDK alone, CPU µs',
    },
    ['--expose-gc', 'telemetry.ts'],
  ),
  programCase(
    'model-chunk',
    'A chunk of a streamed answer, through the adapter of AI SDK models',
    { addedUs: 'added CPU µs a chunk', directUs: 'read directly, CPU µs' },
    ['real-model.ts', 'chunks'],
  ),
  ...[10, 1000].map((messages) =>
    programCase(
      `model-history-${messages}`,
      `A model call with ${messages.toLocaleString('en')} messages, over the same call made by hand`,
      { addedUs: 'added CPU µs a call' },
      ['real-model.ts', 'calls', messages],
    ),
  ),
  {
    id: 'model-start',
    title: 'From the start of the process to the first request to a provider',
    figures: { cpuMs: 'CPU ms', wallMs: 'wall ms' },
    subjects: ['floor', 'shallot'],
    measure: (subject) =>
      figuresOf(['real-model-start.ts', subject], { cwd: import.meta.dirname, timeoutMs }),
  },
  {
    id: 'model-installed',
    title: 'A fresh install of the core, the adapter and the package of one provider',
    figures: { diskMb: 'MB on disk', contentMb: 'MB of content', packages: 'packages' },
    subjects: ['shallot'],
    slow: true,
    measure: () =>
      Promise.resolve(
        measureInstalledSize(['@shallot/core', '@shallot/model-ai-sdk', '@ai-sdk/openai', 'zod']),
      ),
  },
];

function workerCase(given: {
  readonly id: string;
  readonly title: string;
  readonly figures: Case['figures'];
  readonly subjects: readonly SubjectName[];
  readonly measure: Measure;
  readonly workload: Workload;
  /** What the microseconds are divided by. */
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

/** What a program of this folder measures, in a process of its own. */
function programCase(
  id: string,
  title: string,
  figures: Case['figures'],
  program: readonly (string | number)[],
): Case {
  return {
    id,
    title,
    figures,
    subjects: ['shallot'],
    measure: (_subject, _effort, nodeArgs) =>
      figuresOf([...nodeArgs, ...program.map(String)], { cwd: import.meta.dirname, timeoutMs }),
  };
}

function packageOf(subject: SubjectName): string {
  const name = packages[subject];
  if (name === undefined) throw new Error(`${subject} is not a package`);
  return name;
}
