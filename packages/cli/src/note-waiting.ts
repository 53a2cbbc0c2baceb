import type { Interrupt } from '@shallot/core';

import { answerHints, resumeHint } from './answer-hints.ts';
import type { AgentCommandOptions } from './config-loading.ts';
import { count } from './count.ts';
import type { Screen } from './screen.ts';
import { summarize } from './summarize.ts';
import { visibleLine } from './visible.ts';

/** Says on stderr what a session waits for, and the commands that answer it and go on. */
export function noteWaiting(
  session: string,
  interrupts: readonly Interrupt[],
  options: AgentCommandOptions,
  screen: Screen,
): void {
  const { bold, dim, yellow } = screen.paintNotes;
  screen.note(
    `${yellow('waiting')} Session ${visibleLine(session)} waits for ${count(interrupts.length, 'answer')}; nothing else is lost.`,
  );
  for (const interrupt of interrupts) {
    screen.note(`${bold(visibleLine(interrupt.id))}  ${summarize(interrupt)}`);
    for (const hint of answerHints(interrupt, options)) screen.note(dim(`  ${hint}`));
  }
  screen.note(`Then go on: ${resumeHint(session, options)}`);
}
