import { align, rounded } from './align.ts';
import { type Baseline, summary } from './baseline.ts';
import type { Figure, Row } from './rows/row.ts';

/** Returns the table of a row: each figure with the range of the rounds, its record, and its bounds. */
export function rowTable(
  row: Row,
  rounds: readonly Readonly<Record<string, number>>[],
  recorded: Baseline[string] | undefined,
): string {
  const lines = Object.entries(row.figures).map(([key, figure]) => {
    const { median, low, high } = summary(rounds.map((round) => round[key] ?? Number.NaN));
    const before = recorded?.figures[key];
    const bounds =
      figure.must === undefined ? [] : [`≤ ${figure.must}`, `≤ ${figure.proud}`, verdict(figure, median)];
    return [
      figure.label,
      rounded(median),
      rounds.length > 1 ? `[${rounded(low)} – ${rounded(high)}]` : '',
      before === undefined ? '' : rounded(before.median),
    ].concat(bounds);
  });
  const head = ['', '', '', 'recorded', 'must', 'proud'];
  return `${row.id}: ${row.title}\n${align([head, ...lines])}`;
}

function verdict({ must = 0, proud = 0 }: Figure, value: number): string {
  if (value > must) return 'missed';
  return value <= proud ? 'proud' : 'reached';
}
