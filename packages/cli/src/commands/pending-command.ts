import type { Store } from '@shallot/core/store';

import { answerHints, resumeHint } from '../asking/answer-hints.ts';
import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { openIn, openQuestions, type OnDamaged, type Question } from '../asking/find-question.ts';
import { renderQuestion } from '../asking/render-question.ts';
import { noteWarning } from '../rendering/note-failure.ts';
import { toJson } from '../rendering/render-json.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';
import { findSession } from '../work/find-session.ts';
import { withSharedStore } from '../work/with-store.ts';

export interface PendingCommandOptions extends AgentCommandOptions {
  readonly json?: boolean;
}

/** `shallot pending`: prints the open questions of one or all sessions, with the commands that answer them. */
export async function pendingCommand(
  sessionId: string | undefined,
  options: PendingCommandOptions,
  screen: Screen,
): Promise<void> {
  await withSharedStore('shallot pending', options, screen, async (store) => {
    const questions = await questionsOf(store, sessionId, (error) => noteWarning(error, screen));
    if (options.json) {
      const list = questions.map((question) => ({ sessionId: question.sessionId, ...question.interrupt }));
      await screen.line(toJson(list, { indent: 2 }));
    } else if (questions.length === 0) {
      screen.note('No question is open.');
    } else {
      await screen.line(renderQuestions(questions, options, screen));
    }
  });
}

async function questionsOf(
  store: Store,
  sessionId: string | undefined,
  onDamaged: OnDamaged,
): Promise<readonly Question[]> {
  if (sessionId === undefined) {
    const all: Question[] = [];
    for await (const question of openQuestions(store, onDamaged)) all.push(question);
    return all;
  }
  const record = await store.load(await findSession(store, sessionId));
  return record === undefined ? [] : openIn(record);
}

function renderQuestions(
  questions: readonly Question[],
  options: PendingCommandOptions,
  screen: Screen,
): string {
  const { paint } = screen;
  const parts = questions.map(({ sessionId, interrupt }, index) => {
    const hints = answerHints(interrupt, options, screen).map((hint) => paint.dim(`  ${hint}`));
    const question = [renderQuestion(interrupt, paint), ...hints].join('\n');
    const before =
      questions[index - 1]?.sessionId === sessionId ? [] : [paint.bold(`session ${visibleLine(sessionId)}`)];
    const after =
      questions[index + 1]?.sessionId === sessionId
        ? []
        : [paint.dim(`then: ${resumeHint(sessionId, options, screen)}`)];
    return [...before, question, ...after].join('\n\n');
  });
  return parts.join('\n\n');
}
