import { measureConcurrency } from './measures/concurrency.ts';
import { measureCounts } from './measures/counts.ts';
import { measureFirstAnswer } from './measures/first-answer.ts';
import { measureAgentHeap, measureHeapGrowth, measureSessionHeap } from './measures/heap.ts';
import { measureRunCost } from './measures/run-cost.ts';
import type { Effort } from './measures/samples.ts';
import { measureTurnCost } from './measures/turn-cost.ts';
import type { SubjectModule } from './subject.ts';
import type { SubjectName } from './subjects.ts';
import type { Workload } from './workload.ts';

/** The job of one process: the only argument, as JSON. The process prints its figures as one line of JSON. */
export interface Job<M extends Measure = Measure> {
  readonly subject: SubjectName;
  readonly measure: M;
  readonly workload: Workload;
  readonly effort: Effort;
}

export type Measure = keyof typeof measures;
/** The figures of a measure. */
export type Measured<M extends Measure> = Awaited<ReturnType<(typeof measures)[M]>>;
type Measurement = (
  module: SubjectModule,
  workload: Workload,
  effort: Effort,
) => Promise<Record<string, number>>;

const measures = {
  'run-cost': measureRunCost,
  'turn-cost': measureTurnCost,
  counts: measureCounts,
  concurrency: measureConcurrency,
  'agent-heap': measureAgentHeap,
  'session-heap': measureSessionHeap,
  'heap-growth': measureHeapGrowth,
  'first-answer': measureFirstAnswer,
} satisfies Record<string, Measurement>;

const job = JSON.parse(process.argv[2] ?? '') as Job;
const { subject } = (await import(`./subjects/${job.subject}.ts`)) as { subject: SubjectModule };
const figures = await measures[job.measure](subject, job.workload, job.effort);
process.stdout.write(`\n${JSON.stringify(figures)}\n`, () => process.exit(0));
