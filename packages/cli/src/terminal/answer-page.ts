import type { Screen } from './screen.ts';

/** Where the text of an answer is shown as it comes. What it returns is awaited: a slow terminal slows the run. */
export interface AnswerPage {
  write(text: string): Promise<void>;
  /** Shows what was held back, and ends the line. */
  end(): Promise<void>;
  /** Forgets what was held back, and begins anew. Whether something was shown that nobody can take back. */
  drop(): Promise<boolean>;
}

/** Shows text as it is, but for control characters. */
export function plainPage(screen: Screen): AnswerPage {
  let shown = false;
  return {
    async write(text) {
      shown ||= text !== '';
      await screen.answer(text);
    },
    end: () => screen.endLine(),
    async drop() {
      const was = shown;
      shown = false;
      await screen.endLine();
      return was;
    },
  };
}
