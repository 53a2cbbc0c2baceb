import { median } from './measures/samples.ts';
import type { SubjectName } from './subjects.ts';

type Figures = Readonly<Record<string, number>>;

/** Names one figure of one subject in one case. */
export interface Measured {
  readonly caseId: string;
  readonly subject: SubjectName;
  readonly figure: string;
}

/** The measurements: per case and subject, the figures of each round. */
export class Results {
  readonly #rounds = new Map<string, Figures[]>();
  readonly #failures = new Map<string, string>();

  add(caseId: string, subject: SubjectName, figures: Figures): void {
    const key = keyOf(caseId, subject);
    const rounds = this.#rounds.get(key);
    if (rounds) rounds.push(figures);
    else this.#rounds.set(key, [figures]);
  }

  fail(caseId: string, subject: SubjectName, reason: string): void {
    this.#failures.set(keyOf(caseId, subject), reason);
  }

  failure(caseId: string, subject: SubjectName): string | undefined {
    return this.#failures.get(keyOf(caseId, subject));
  }

  /** Returns the median over the rounds; undefined if the figure was not measured. */
  figure(caseId: string, subject: SubjectName, figure: string): number | undefined {
    const values = this.#values({ caseId, subject, figure });
    return values.length === 0 ? undefined : median(values);
  }

  /**
   * Returns the median of the ratios of each round, so that if the machine is busy for a while, that slows both sides
   * of a ratio. Undefined if one of them was not measured.
   */
  ratio(value: Measured, to: Measured): number | undefined {
    const values = this.#values(value);
    const floors = this.#values(to);
    const ratios = values.flatMap((measured, round) => {
      const floor = floors[round];
      return floor === undefined || floor === 0 ? [] : [measured / floor];
    });
    return ratios.length === 0 ? undefined : median(ratios);
  }

  #values({ caseId, subject, figure }: Measured): number[] {
    const rounds = this.#rounds.get(keyOf(caseId, subject)) ?? [];
    return rounds.map((round) => round[figure] ?? Number.NaN);
  }

  toJSON(): unknown {
    return { rounds: Object.fromEntries(this.#rounds), failures: Object.fromEntries(this.#failures) };
  }
}

function keyOf(caseId: string, subject: SubjectName): string {
  return `${caseId}/${subject}`;
}
