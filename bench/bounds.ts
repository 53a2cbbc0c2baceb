import type { Case } from './cases.ts';
import type { Measured, Results } from './results.ts';
import { peers, type SubjectName } from './subjects.ts';

/** A line that Shallot must reach and one that it aims at; lower is better in all of them. */
export interface Bound {
  readonly name: string;
  readonly must: number;
  readonly aim?: number;
  /** Shallot's value, or undefined when what it is made of was not measured. */
  value(results: Results): number | undefined;
}

export const bounds: readonly Bound[] = [
  toFloor('a run with 10 plugins, to the floor', 'layers-10', 'cpuUs', { must: 3.5, aim: 2 }),
  toFloor('a run with 50 plugins, to the floor', 'layers-50', 'cpuUs', { must: 2, aim: 1.3 }),
  toOther(
    'a step: 200 in a run, to 10 in a run',
    { caseId: 'steps-200', subject: 'shallot', figure: 'cpuUs' },
    { caseId: 'steps-10', subject: 'shallot', figure: 'cpuUs' },
    { must: 1.1, aim: 1 },
  ),
  toFloor('a step on 10,000 messages, to the floor', 'history-10000', 'cpuUs', { must: 2, aim: 1.3 }),
  toFloor('an untouched chunk, to the floor', 'chunks-untouched', 'cpuUs', { must: 3, aim: 1.5 }),
  toOther(
    'a replaced chunk, to nested generators',
    { caseId: 'chunks-transformed', subject: 'shallot', figure: 'cpuUs' },
    { caseId: 'chunks-transformed', subject: 'floor-generators', figure: 'cpuUs' },
    { must: 0.5, aim: 0.2 },
  ),
  toFloor('1,000 runs at once, wall, to the floor', 'concurrent', 'wallMs', { must: 3, aim: 1.5 }),
  absolute('1,000 runs at once, longest stall, ms', 'concurrent', 'stallMs', { must: 50, aim: 20 }),
  toFloor('heap of an idle agent, to the floor', 'agent-heap', 'bytes', { must: 3.5, aim: 2 }),
  absolute('heap growth, bytes a run', 'heap-growth', 'bytesPerRun', { must: 100, aim: 0 }),
  absolute('import, files', 'import', 'modules', { must: 60, aim: 20 }),
  absolute('import, CPU ms', 'import', 'cpuMs', { must: 35, aim: 20 }),
  absolute('a config with 5 plugins, CPU ms', 'config-5', 'cpuMs', { must: 60, aim: 40 }),
  absolute('a config with 25 plugins, CPU ms', 'config-25', 'cpuMs', { must: 75, aim: 50 }),
  absolute('a durable commit at message 10, ms', 'commit-10', 'wallMs', { must: 1 }),
  absolute('a durable commit at message 10,000, ms', 'commit-10000', 'wallMs', { must: 1 }),
  toOther(
    'a step with summarization: 10,000 messages, to 100',
    { caseId: 'summarization-step-10000', subject: 'shallot', figure: 'cpuUs' },
    { caseId: 'summarization-step-100', subject: 'shallot', figure: 'cpuUs' },
    { must: 2, aim: 1.3 },
  ),
  toOther(
    'the 100th section of a history file, to the first',
    { caseId: 'summarization-sections', subject: 'shallot', figure: 'cpuUs' },
    { caseId: 'summarization-sections', subject: 'shallot', figure: 'firstUs' },
    { must: 1.5, aim: 1.1 },
  ),
  absolute('telemetry without an SDK, to the run without it', 'telemetry', 'idleRatio', {
    must: 1.3,
    aim: 1.1,
  }),
  absolute('our own part of a span, CPU µs', 'telemetry', 'ownUs', { must: 15, aim: 8 }),
  absolute('installed, MB on disk', 'installed', 'diskMb', { must: 6, aim: 4 }),
  absolute('installed, packages', 'installed', 'packages', { must: 25 }),
  absolute('a chunk through the adapter of models, µs', 'model-chunk', 'addedUs', { must: 2 }),
  // 5 µs a call, and 1 µs a message.
  absolute('a call with 10 messages, µs', 'model-history-10', 'addedUs', { must: 15 }),
  absolute('a call with 1,000 messages, µs', 'model-history-1000', 'addedUs', { must: 1005 }),
  toFloor('start to the first request, to the floor', 'model-start', 'cpuMs', { must: 1.5 }),
  absolute('installed with a provider, MB of content', 'model-installed', 'contentMb', { must: 20 }),
];

export type Verdict = 'missed' | 'hit' | 'aim';

export function judge(bound: Bound, value: number): Verdict {
  if (value > bound.must) return 'missed';
  return bound.aim !== undefined && value <= bound.aim ? 'aim' : 'hit';
}

/** The peers that are not above Shallot in a case's first figure, each with its share of Shallot's. */
export function peersNotAbove(
  measured: Case,
  results: Results,
): readonly { subject: SubjectName; share: number }[] {
  const figure = Object.keys(measured.figures)[0] ?? '';
  const own = { caseId: measured.id, subject: 'shallot', figure } as const;
  return peers.flatMap((subject) => {
    const share = results.ratio({ caseId: measured.id, subject, figure }, own);
    return share !== undefined && share <= 1 ? [{ subject, share }] : [];
  });
}

function toFloor(name: string, caseId: string, figure: string, lines: Pick<Bound, 'must' | 'aim'>): Bound {
  return toOther(name, { caseId, subject: 'shallot', figure }, { caseId, subject: 'floor', figure }, lines);
}

function toOther(name: string, value: Measured, other: Measured, lines: Pick<Bound, 'must' | 'aim'>): Bound {
  return { name, ...lines, value: (results) => results.ratio(value, other) };
}

function absolute(name: string, caseId: string, figure: string, lines: Pick<Bound, 'must' | 'aim'>): Bound {
  return { name, ...lines, value: (results) => results.figure(caseId, 'shallot', figure) };
}
