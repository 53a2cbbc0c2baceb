import type { Interrupt } from '@shallot/core';

import { answerHints, resumeHint } from '../asking/answer-hints.ts';
import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { summarize } from '../rendering/summarize.ts';
import { count } from '../terminal/count.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';

/** Prints the open questions of a session to stderr, with the commands that answer them and resume it. */
export function noteWaiting(
  sessionId: string,
  interrupts: readonly Interrupt[],
  options: AgentCommandOptions,
  screen: Screen,
): void {
  const { bold, dim, yellow } = screen.paintNotes;
  screen.note(
    `${yellow('waiting')} Session ${visibleLine(sessionId)} waits for ${count(interrupts.length, 'answer')}; nothing else is lost.`,
  );
  for (const interrupt of interrupts) {
    screen.note(`${bold(visibleLine(interrupt.id))}  ${summarize(interrupt)}`);
    for (const hint of answerHints(interrupt, options)) screen.note(dim(`  ${hint}`));
  }
  screen.note(`Then go on: ${resumeHint(sessionId, options)}`);
}
