import type { Screen } from './screen.ts';

/**
 * Shows the text of an answer as it is streamed. The returned promises are awaited, so a slow terminal slows the run.
 */
export interface AnswerPage {
  write(text: string): Promise<void>;
  /** Shows the rest, and ends the line. */
  end(): Promise<void>;
  /** Discards the unshown rest, and starts again. Returns true if text was already shown. */
  drop(): Promise<boolean>;
}

/** Returns a page for plain text without control characters. */
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
