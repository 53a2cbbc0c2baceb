import type { Subject, SubjectModule } from '../subject.ts';
import { assertTally, createTally } from '../tally.ts';
import type { Workload } from '../workload.ts';
import { cpuMicros, median } from './samples.ts';
import { takeTurns, type Timer } from './turns.ts';

/** How the cost of one build relates to that of another. */
export interface PairedCost {
  /** The median over all turns of `after` to `before`: above 1, it became dearer. */
  readonly ratio: number;
  /** Nine in ten medians of turns drawn again and again from these lie between the two. */
  readonly low: number;
  readonly high: number;
}

export interface PairedEffort {
  /** CPU time of each build before it is measured. */
  readonly warmupMs: number;
  /** How long one build runs before it is the other one's turn. */
  readonly sliceMs: number;
  readonly turns: number;
}

/**
 * Runs two builds in one process, some milliseconds each in turn. Whatever slows the machine for longer than that slows
 * both, so that differences show which single figures would hide.
 */
export async function measurePairedCost(
  before: SubjectModule,
  after: SubjectModule,
  workload: Workload,
  effort: PairedEffort,
): Promise<PairedCost> {
  const sides = [await Side.open(before, workload), await Side.open(after, workload)] as const;
  for (const side of sides) await side.warmUp(effort);
  const timers: [Timer, Timer] = [() => sides[0].slice(), () => sides[1].slice()];
  const turns = await takeTurns(timers, { warmup: Math.ceil(effort.turns / 10), samples: effort.turns });
  for (const side of sides) side.check();
  const ratios = turns.map(([old, now]) => now / old);
  return { ratio: median(ratios), ...spread(ratios) };
}

/** One build at its work. */
class Side {
  readonly #subject: Subject;
  readonly #tally;
  readonly #module: SubjectModule;
  readonly #workload: Workload;
  #batch = 1;
  #runs = 0;

  private constructor(
    subject: Subject,
    tally: ReturnType<typeof createTally>,
    module: SubjectModule,
    workload: Workload,
  ) {
    this.#subject = subject;
    this.#tally = tally;
    this.#module = module;
    this.#workload = workload;
  }

  static async open(module: SubjectModule, workload: Workload): Promise<Side> {
    const tally = createTally();
    return new Side(await module.create(workload, tally), tally, module, workload);
  }

  /** Lets the compiler do its work, and finds out how many runs make a slice. */
  async warmUp({ warmupMs, sliceMs }: PairedEffort): Promise<void> {
    for (let spentMs = 0; spentMs < warmupMs;) {
      const runs = this.#batch;
      const perRunMs = (await this.slice()) / 1000;
      spentMs += perRunMs * runs;
      this.#batch = Math.max(1, Math.min(this.#batch * 2, Math.round(sliceMs / perRunMs)));
    }
  }

  /** Microseconds of CPU time a run, over one slice. */
  async slice(): Promise<number> {
    const sessions: unknown[] = [];
    for (let run = 0; run < this.#batch; run += 1) sessions.push(await this.#subject.open());
    const started = process.cpuUsage();
    for (const session of sessions) await this.#subject.run(session);
    const spent = cpuMicros(started);
    for (const session of sessions) await this.#subject.forget(session);
    this.#runs += this.#batch;
    return spent / this.#batch;
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
