import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';

import { median } from './measures/samples.ts';
import type { Figure, Row } from './rows/row.ts';

/** The figures of each row as they were recorded last, by row. */
export type Baseline = Readonly<Record<string, RecordedRow>>;

interface RecordedRow {
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
  readonly figures: Readonly<Record<string, Recorded>>;
}

/** The median of the rounds, and the lowest and the highest of them. */
export interface Recorded {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

export const defaultBaseline: string = join(import.meta.dirname, 'baseline.json');

export function readBaseline(file: string): Baseline {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Baseline) : {};
}

export function writeBaseline(file: string, baseline: Baseline): void {
  writeFileSync(file, `${JSON.stringify(baseline, undefined, 2)}\n`);
}

export function recordedRow(
  rounds: readonly Readonly<Record<string, number>>[],
  row: Row,
  commit: string,
): RecordedRow {
  const figures = Object.keys(row.figures).map((key) => [
    key,
    summary(rounds.map((round) => round[key] ?? Number.NaN)),
  ]);
  return {
    date: new Date().toISOString().slice(0, 10),
    commit,
    machine: `Node ${process.versions.node}, ${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}`,
    figures: Object.fromEntries(figures) as Record<string, Recorded>,
  };
}

export function summary(values: readonly number[]): Recorded {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) };
}

/** The factor by which a control may exceed its recorded figure; above that, the machine counts as busy. */
const busy = 1.3;

/**
 * Returns how many times higher than recorded a row's control is on this machine, in the best of the rounds; undefined
 * if it is within the limit. On a machine that is this busy, ratios depend on how much memory each side uses, and prove
 * nothing.
 */
export function slowness(
  { control }: Row,
  rounds: readonly Readonly<Record<string, number>>[],
  recorded: RecordedRow | undefined,
): number | undefined {
  if (control === undefined) return undefined;
  const before = recorded?.figures[control];
  const now = Math.min(...rounds.map((round) => round[control] ?? Number.NaN));
  return before !== undefined && now > before.high * busy ? now / before.high : undefined;
}

/**
 * Returns true if even the best of these rounds is worse than the worst recorded one by more than `tolerance`; for a
 * count, by any amount. Figures that only describe the machine are never worse.
 */
export function isWorse(
  { kind }: Figure,
  measured: Recorded,
  recorded: Recorded,
  tolerance: number,
): boolean {
  if (kind === 'count') return measured.low > recorded.high;
  return kind === 'ratio' && measured.low > recorded.high * (1 + tolerance);
}
