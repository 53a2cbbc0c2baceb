import { median } from './measures/samples.ts';
import type { SubjectName } from './subjects.ts';

type Figures = Readonly<Record<string, number>>;

/** What was measured: per case and subject, the figures of each round. */
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

  /** The median over the rounds, or undefined when it was not measured. */
  figure(caseId: string, subject: SubjectName, figure: string): number | undefined {
    const values = this.#rounds.get(keyOf(caseId, subject))?.map((round) => round[figure] ?? Number.NaN);
    return values && median(values);
  }

  toJSON(): unknown {
    return { rounds: Object.fromEntries(this.#rounds), failures: Object.fromEntries(this.#failures) };
  }
}

function keyOf(caseId: string, subject: SubjectName): string {
  return `${caseId}/${subject}`;
}
