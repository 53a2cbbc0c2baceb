import type { Effort } from '../measures/samples.ts';
import { measurePaired, type Side } from '../paired-job.ts';

/** A cost that users pay, measured against the same work done by hand. */
export interface Row {
  readonly id: string;
  readonly title: string;
  /** The figures in display order, by the keys that `measure` returns. */
  readonly figures: Readonly<Record<string, Figure>>;
  /**
   * The figure that shows how busy this machine is. While it is far above its record, none of the row's ratios is
   * judged.
   */
  readonly control?: string;
  /**
   * True for a row that is measured only if it is named, because it takes minutes or needs packages that this folder
   * installs.
   */
  readonly isApart?: boolean;
  /** Measures one round, in processes of its own. */
  measure(effort: RowEffort): Promise<Readonly<Record<string, number>>>;
}

/** A figure of a row. Lower is always better. */
export interface Figure {
  readonly label: string;
  /**
   * `count`: exact on every machine. `ratio`: relative to the other side. `shown`: specific to this machine, and never
   * judged.
   */
  readonly kind: 'count' | 'ratio' | 'shown';
  readonly must?: number;
  readonly proud?: number;
}

/** The effort of one round. Samples are short, because several sides take turns. */
export interface RowEffort extends Effort {
  /** Options of Node for the processes that measure. */
  readonly nodeArgs: readonly string[];
}

/** The bound that must be kept, and the goal. */
export type Bounds = readonly [must: number, proud: number];

export interface PairedSide extends Side {
  /** The key of this side's figures in the row. */
  readonly key: string;
  readonly label: string;
  /** The number by which the time of a run is divided, such as its steps. */
  readonly per: number;
  readonly bounds?: Bounds | undefined;
}

/** The time after which a process begins no further turn, so that a slow side has few turns. */
const mostMs = 8_000;

/** Returns a row whose sides take turns in one process. The ratios of the other sides are to the first. */
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
