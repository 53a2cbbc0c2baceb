import type { Effort } from '../measures/samples.ts';
import { measurePaired, type Side } from '../paired-job.ts';

/** Something that users pay for, measured beside the same done by hand. */
export interface Row {
  readonly id: string;
  readonly title: string;
  /** In the order in which they are shown; their keys are those of what `measure` returns. */
  readonly figures: Readonly<Record<string, Figure>>;
  /** The figure, of this machine, that tells how busy it is: while it is far above its record, no ratio of the row is judged. */
  readonly control?: string;
  /** Measured only when it is named: it takes minutes, or needs what the folder has to install. */
  readonly isApart?: boolean;
  /** One round, in processes of its own. */
  measure(effort: RowEffort): Promise<Readonly<Record<string, number>>>;
}

/** Lower is better in all of them. */
export interface Figure {
  readonly label: string;
  /** `count`: exact on every machine. `ratio`: to what was measured beside it. `shown`: of this machine, held against nothing. */
  readonly kind: 'count' | 'ratio' | 'shown';
  readonly must?: number;
  readonly proud?: number;
}

/** The time limit of one round; samples are short, because those of several sides take turns. */
export interface RowEffort extends Effort {
  /** For the processes that measure. */
  readonly nodeArgs: readonly string[];
}

/** The bound that must be reached, and the goal. */
export type Bounds = readonly [must: number, proud: number];

export interface PairedSide extends Side {
  /** The key of the row's figures that the side belongs to. */
  readonly key: string;
  readonly label: string;
  /** The divisor of its time. */
  readonly per: number;
  readonly bounds?: Bounds | undefined;
}

/** The limit for one process; a side that takes seconds has few turns. */
const mostMs = 8_000;

/** A row whose sides take turns in one process; the others' ratios are to the first. */
export function pairedRow(id: string, title: string, sides: readonly [PairedSide, ...PairedSide[]]): Row {
  const [base, ...others] = sides;
  const figures: Record<string, Figure> = {};
  for (const { key, label, bounds } of others) {
    figures[key] = { label: `${label}, to ${base.label}`, kind: 'ratio', ...boundsOf(bounds) };
  }
  for (const { key, label } of sides) figures[`${key}Us`] = { label: `${label}, CPU µs`, kind: 'shown' };
  return {
    id,
    title,
    figures,
    control: `${base.key}Us`,
    async measure({ warmupMs, sampleMs, samples, nodeArgs }) {
      const costs = await measurePaired(
        {
          sides: sides.map(({ subject, workload }) => ({ subject, workload })),
          effort: { warmupMs, sliceMs: sampleMs, turns: samples, mostMs },
        },
        nodeArgs,
      );
      const measured: Record<string, number> = {};
      for (const [index, { key, per }] of sides.entries()) {
        const { us, ratio } = costs[index] ?? { us: Number.NaN, ratio: Number.NaN };
        measured[`${key}Us`] = us / per;
        if (index > 0) measured[key] = (ratio / per) * base.per;
      }
      return measured;
    },
  };
}

export function boundsOf(bounds: Bounds | undefined): Pick<Figure, 'must' | 'proud'> {
  return bounds === undefined ? {} : { must: bounds[0], proud: bounds[1] };
}
