import type { RunResult } from '@shallot/core';

import { plainPage, type AnswerPage } from '../terminal/answer-page.ts';
import type { Renderer } from '../terminal/renderer.ts';
import type { Screen } from '../terminal/screen.ts';
import { progressNotes, type NotesOptions } from './progress-notes.ts';
import { reasoning } from './reasoning.ts';
import { thinking } from './thinking.ts';

/**
 * Renders the answer to stdout, and reasoning and progress to stderr. On a terminal the text of every step is streamed;
 * after a `restart`, a line says so and the valid text follows. A pipe gets exactly the text of the result and a
 * newline, once the run has completed, because it cannot be taken back.
 */
export function textRenderer(screen: Screen, { page = plainPage, ...options }: TextOptions): Renderer {
  const answer = screen.live ? liveAnswer(screen, page(screen)) : finalAnswer(screen);
  const notes = progressNotes(screen, options);
  const showsReasoning = options.reasoning ?? (!options.quiet && screen.io.stderr.isTTY === true);
  const thoughts = showsReasoning ? reasoning(screen) : undefined;
  const signs = options.quiet ? undefined : thinking(screen, { hearsReasoning: showsReasoning });
  return {
    async event(event) {
      void signs?.event(event);
      void thoughts?.event(event);
      await answer.event(event);
      notes.event(event);
    },
    async end(result) {
      void signs?.end(result);
      void thoughts?.end(result);
      await answer.end(result);
      notes.end(result);
    },
    failed(error) {
      void signs?.failed(error);
      void thoughts?.failed(error);
      notes.failed();
      return answer.failed(error);
    },
  };
}

export interface TextOptions extends NotesOptions {
  /** Returns the page for the answer on a terminal. Default: plain text. */
  readonly page?: (screen: Screen) => AnswerPage;
  /** Shows the model's reasoning. Default: if stderr is a terminal and `quiet` is off. */
  readonly reasoning?: boolean | undefined;
}

function liveAnswer(screen: Screen, page: AnswerPage): Renderer {
  const beginAnew = async (): Promise<void> => {
    if (await page.drop())
      await screen.line(screen.paint.dim('— the text above is void; the answer restarts: —'));
  };
  /** Ends the page; shown text stays. */
  const leaveBehind = async (): Promise<void> => {
    await page.end();
    await page.drop();
  };
  return {
    async event(event) {
      if (event.type === 'text-delta') await page.write(event.text);
      else if (event.type === 'restart') await beginAnew();
      else if (event.type === 'message' || event.type === 'step-start') await leaveBehind();
    },
    end: () => page.end(),
    failed: () => page.end(),
  };
}

function finalAnswer(screen: Screen): Renderer {
  return {
    event: () => undefined,
    async end({ outcome, text }: RunResult) {
      if (outcome === 'completed' && text !== '')
        await screen.answer(text.endsWith('\n') ? text : `${text}\n`);
    },
    failed: () => undefined,
  };
}
