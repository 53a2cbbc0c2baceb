import { isShallotError, type Interrupt, type JsonValue } from '@shallot/core';
import { visible, type PermissionEvaluator, isJsonObject } from '@shallot/core/plugin';
import type { Store } from '@shallot/core/store';
import { approvalOf, pendingInterrupts } from '@shallot/core/work';

import type { Ask } from '../keyboard/question-prompts.ts';
import { noteWarning } from '../rendering/note-failure.ts';
import { canAsk, PromptLeft } from '../terminal/prompts.ts';
import type { Screen } from '../terminal/screen.ts';
import { askApproval } from './ask-approval.ts';
import { askBySchema } from './ask-by-schema.ts';
import { recordAnswer } from './record-answer.ts';
import { renderQuestion } from './render-question.ts';

/**
 * Asks the open questions of a session one after the other, and stores each answer at once. Returns true if all are
 * answered; false if nobody can answer or the person left. @throws `STORE_CONFLICT` while a run works on the session
 */
export async function answerPending(store: Store, sessionId: string, asker: Asker): Promise<boolean> {
  const { screen } = asker;
  const kept: string[] = [];
  for (;;) {
    const open = await pendingInterrupts(store, sessionId);
    const [question] = open;
    if (question === undefined) return true;
    if (!canAsk(screen.io)) return false;
    await noteCovered(question, kept, asker);
    const answer = await askOne(question, open.length, asker);
    if (answer === undefined) return false;
    if (await record(store, sessionId, question, answer, screen)) kept.push(...ruleIn(answer));
  }
}

/** The person's screen, and a function that asks them. */
export interface Asker {
  readonly screen: Screen;
  readonly ask: Ask;
  readonly signal: AbortSignal;
  /** Checks if a rule that an earlier answer keeps also covers the next question. */
  readonly permissions: PermissionEvaluator | undefined;
}

async function askOne(
  question: Interrupt,
  left: number,
  { screen, ask, signal }: Asker,
): Promise<JsonValue | undefined> {
  const more = left > 1 ? screen.paintNotes.dim(`  (${left} open questions)`) : '';
  screen.note(`\n${renderQuestion(question, screen.paintNotes)}${more === '' ? '' : `\n${more}`}`);
  const approval = approvalOf(question);
  try {
    return await ask<JsonValue>(async (prompts) =>
      approval === undefined
        ? askBySchema(question.answerSchema, prompts)
        : { ...(await askApproval(approval, { prompts, screen, signal })) },
    );
  } catch (error) {
    if (error instanceof PromptLeft) return undefined;
    throw error;
  }
}

/** Notes that a rule kept by an earlier answer covers this question, too. The question still stays open. */
async function noteCovered({ call }: Interrupt, kept: readonly string[], asker: Asker): Promise<void> {
  const { permissions, screen } = asker;
  if (permissions === undefined || call === undefined) return;
  for (const rule of kept) {
    if (await permissions.covers(rule, call))
      screen.note(
        screen.paintNotes.dim(`\nThe rule ${visible(rule)}, which you keep, covers the next question, too.`),
      );
  }
}

function ruleIn(answer: JsonValue): string[] {
  const always = isJsonObject(answer) ? answer['always'] : undefined;
  const rule = isJsonObject(always) ? always['rule'] : undefined;
  return typeof rule === 'string' ? [rule] : [];
}

/**
 * Stores an answer, and returns true. Returns false for one that is invalid or too late: a question that is still
 * open is asked again.
 */
async function record(
  store: Store,
  sessionId: string,
  { id }: Interrupt,
  answer: JsonValue,
  screen: Screen,
): Promise<boolean> {
  try {
    await recordAnswer(store, sessionId, id, answer, screen);
    return true;
  } catch (error) {
    if (!isShallotError(error, 'INTERRUPT_ANSWER') && !isShallotError(error, 'INTERRUPT_UNKNOWN'))
      throw error;
    noteWarning(error, screen);
    return false;
  }
}
