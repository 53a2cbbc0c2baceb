import type { Subject, SubjectModule } from '../subject.ts';
import { assertTally, createTally, type Tally } from '../tally.ts';
import type { Workload } from '../workload.ts';
import { batchSize, runBatch } from './batch.ts';
import { median } from './samples.ts';
import { takeTurns } from './turns.ts';

/** The cost of one side, and its ratio to the first side. */
export interface PairedCost {
  /** CPU microseconds per run. */
  readonly us: number;
  /** The median, over all turns, of this side's cost divided by the first side's. */
  readonly ratio: number;
  /** The bounds of a 90 % confidence interval of the ratio, by resampling the turns. */
  readonly low: number;
  readonly high: number;
}

export interface PairedEffort {
  /** The CPU time for which each side warms up before it is measured. */
  readonly warmupMs: number;
  /** The time that a side runs before the next side has its turn. */
  readonly sliceMs: number;
  readonly turns: number;
  /** The time after which no further turn begins. */
  readonly mostMs: number;
}

/**
 * Runs several subjects in one process, a few milliseconds each in turn. Anything that slows the machine for longer
 * than a turn slows all of them, so ratios are more reliable than single figures.
 */
export async function measurePairedCost(
  modules: readonly { readonly module: SubjectModule; readonly workload: Workload }[],
  effort: PairedEffort,
): Promise<PairedCost[]> {
  const sides: Side[] = [];
  for (const { module, workload } of modules) sides.push(await Side.open(module, workload));
  for (const side of sides) await side.warmUp(effort);
  const turns = await takeTurns(
    sides.map((side) => () => side.slice()),
    { warmup: Math.ceil(effort.turns / 10), samples: effort.turns, mostMs: effort.mostMs },
  );
  for (const side of sides) side.check();
  return sides.map((_, index) => {
    const ratios = turns.map((times) => (times[index] ?? Number.NaN) / (times[0] ?? Number.NaN));
    const { low, high } = spread(ratios);
    return {
      us: median(turns.map((times) => times[index] ?? Number.NaN)),
      ratio: median(ratios),
      low,
      high,
    };
  });
}

/** One of the subjects that are compared. */
class Side {
  readonly #subject: Subject;
  readonly #tally: Tally;
  readonly #module: SubjectModule;
  readonly #workload: Workload;
  #batch = 1;
  #runs = 0;

  private constructor(subject: Subject, tally: Tally, module: SubjectModule, workload: Workload) {
    this.#subject = subject;
    this.#tally = tally;
    this.#module = module;
    this.#workload = workload;
  }

  static async open(module: SubjectModule, workload: Workload): Promise<Side> {
    const tally = createTally();
    return new Side(await module.create(workload, tally), tally, module, workload);
  }

  /** Runs until the code is compiled, and finds the number of runs that fill a slice. */
  async warmUp({ warmupMs, sliceMs }: PairedEffort): Promise<void> {
    for (let spentMs = 0; spentMs < warmupMs;) {
      const runs = this.#batch;
      const perRunMs = (await this.slice()) / 1000;
      spentMs += perRunMs * runs;
      this.#batch = Math.min(runs * 2, batchSize(this.#workload, sliceMs, perRunMs));
    }
  }

  /** Runs one slice, and returns the CPU microseconds per run. */
  async slice(): Promise<number> {
    this.#runs += this.#batch;
    return (await runBatch(this.#subject, this.#workload, this.#batch)).cpuUs;
  }

  check(): void {
    assertTally(this.#tally, this.#workload, this.#module.places, this.#runs);
  }
}

const resamples = 500;

function spread(values: readonly number[]): { readonly low: number; readonly high: number } {
  const medians = Array.from({ length: resamples }, () =>
    median(values.map(() => values[Math.floor(Math.random() * values.length)] ?? Number.NaN)),
  ).toSorted((a, b) => a - b);
  const at = (share: number): number => medians[Math.floor(share * (resamples - 1))] ?? Number.NaN;
  return { low: at(0.05), high: at(0.95) };
}
