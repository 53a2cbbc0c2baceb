import type { Course } from './course.ts';
import type { Place } from './model/world.ts';

/**
 * The steps of a disturbed world in which a layer or gate of one call ends the run. Which of the other calls had begun
 * by then depends on the disturbance, and so do their results, questions and effects. The end of the run does not.
 */
export class OpenSteps {
  readonly #steps = new Set<string>();
  readonly #questions = new Set<string>();

  constructor({ world, isDisturbed }: Course) {
    if (!isDisturbed) return;
    const taps = world.plugins.flatMap((plugin) => plugin.taps);
    const around = taps
      .filter(({ hook }) => hook === 'wrapToolCall' || hook === 'gate')
      .flatMap(({ acts }) => acts);
    for (const act of around) if (act.what === 'end' || act.what === 'limit') this.#steps.add(nameOf(act));
    for (const act of around) if (this.has(act)) this.#questions.add(act.id);
  }

  has(place: Place): boolean {
    return this.#steps.has(nameOf(place));
  }

  withoutQuestions(questions: readonly string[]): readonly string[] {
    return questions.filter((id) => !this.#questions.has(id) && !this.#isOf(id));
  }

  withoutEffects(effects: readonly string[]): readonly string[] {
    return effects.filter((effect) => !this.#isOf(effect));
  }

  /** Returns true if a question or effect of a tool, whose name contains its step, belongs to such a step. */
  #isOf(name: string): boolean {
    const place = /r\d+s\d+/.exec(name)?.[0];
    return place !== undefined && this.#steps.has(place);
  }
}

function nameOf({ run, step }: Place): string {
  return `r${run}s${step}`;
}
