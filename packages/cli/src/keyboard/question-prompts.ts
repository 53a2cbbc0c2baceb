import { PromptLeft, type Check, type Choice, type Prompts } from '../terminal/prompts.ts';
import { askForChoice } from './ask-for-choice.ts';
import { askForText } from './ask-for-text.ts';
import type { QuestionParts } from './question-parts.ts';

/** Prompts for the parts of one question. */
export interface QuestionPrompts extends Prompts {
  /** Leaves the terminal to another program while a function runs. */
  lend<T>(use: () => Promise<T>): Promise<T>;
}

/** Asks one question, with prompts for its parts. */
export type Ask = <T>(question: (prompts: QuestionPrompts) => Promise<T>) => Promise<T>;

/**
 * Returns prompts that can only be answered on purpose: nothing is preselected, and a decision takes an arrow key or a
 * digit and then Enter, all after a time without keys. All other text goes to the message line, and Enter then ends the
 * message. Leaving a question puts the queued messages back into the line.
 */
export function questionPrompts(parts: QuestionParts): QuestionPrompts {
  /** True once a part of the question was answered: text is then meant for the next part. */
  let isAnswering = false;
  const answered = async <T>(asked: Promise<T | undefined>): Promise<T> => {
    const answer = await asked;
    if (answer === undefined) {
      await parts.line.recall();
      throw new PromptLeft();
    }
    isAnswering = true;
    return answer;
  };
  return {
    async choose<T extends string>(message: string, choices: readonly Choice<T>[]): Promise<T> {
      const [index = 0] = await answered(askForChoice(parts, { message, choices, several: false }));
      // The index is that of one of the choices.
      return choices[index]?.value as T;
    },
    async chooseSeveral<T extends string>(
      message: string,
      choices: readonly Choice<T>[],
    ): Promise<readonly T[]> {
      const chosen = await answered(askForChoice(parts, { message, choices, several: true }));
      return choices.filter((_, index) => chosen.includes(index)).map(({ value }) => value);
    },
    text: (message: string, options: { initial?: string; check?: Check } = {}) =>
      answered(askForText(parts, { message, isAnswering, ...options })),
    lend: (use) => parts.keyboard.lend(use),
  };
}
