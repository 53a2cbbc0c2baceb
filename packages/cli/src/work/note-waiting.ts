import type { Agent, Interrupt } from '@shallot/core';

import { answerHints, resumeHint } from '../asking/answer-hints.ts';
import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { inSubagent, summarize } from '../rendering/summarize.ts';
import { count } from '../terminal/count.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';

/**
 * Prints the open questions of a session to stderr, with the commands that answer them and that resume the session.
 * Names the rules that later answers keep and that cover a question; it stays open nevertheless.
 */
export async function noteWaiting(
  sessionId: string,
  interrupts: readonly Interrupt[],
  {
    agent,
    options,
  }: { readonly agent: Pick<Agent, 'session' | 'permissions'>; readonly options: AgentCommandOptions },
  screen: Screen,
): Promise<void> {
  const { bold, dim, yellow } = screen.paintNotes;
  screen.note(
    `${yellow('waiting')} Session ${visibleLine(sessionId)} waits for ${count(interrupts.length, 'answer')}; the run is saved.`,
  );
  const { state } = (await agent.session(sessionId)) ?? {};
  for (const interrupt of interrupts) {
    screen.note(`${bold(visibleLine(interrupt.id))}  ${summarize(interrupt)}${inSubagent(interrupt)}`);
    const kept = interrupt.call && (await agent.permissions?.keptFor(interrupt.call, state));
    for (const rule of kept ?? [])
      screen.note(dim(`  covered by the rule ${visibleLine(rule)}, which is kept since it was asked`));
    for (const hint of answerHints(interrupt, options, screen)) screen.note(dim(`  ${hint}`));
  }
  screen.note(`Then: ${resumeHint(sessionId, options, screen)}`);
}
