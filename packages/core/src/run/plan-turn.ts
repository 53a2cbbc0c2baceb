import { isShallotError } from '../base/errors.ts';
import { isPromise } from '../base/is-promise.ts';
import type { CompleteResponse } from '../contract/hooks.ts';
import { toolCallsOf, type AssistantMessage, type Message } from '../contract/messages.ts';
import type { StopReason } from '../contract/result.ts';
import { notExecuted } from '../sessions/content/pairing.ts';
import { checkAnswer } from './model/check-answer.ts';
import { paired } from './model/check-request.ts';
import type { Turn } from './model/model-turn.ts';
import { isSent } from './model/take-sent.ts';
import type { LastWord } from './parts/verdict.ts';
import type { RunParts } from './run-parts.ts';

/** Finish reasons after which tool calls are executed. With any other reason the last call may be incomplete. */
const executableFinishes: ReadonlySet<string> = new Set(['stop', 'tool-calls', 'paused', 'other']);

/** The messages to commit after a model turn, and how the run continues. */
export interface Plan {
  readonly added: readonly Message[];
  readonly next: 'tools' | 'step' | 'children' | 'end';
  /** Set when `next` is `end`; undefined if a plugin called `run.end`, which has its own reason. */
  readonly reason?: StopReason;
  readonly lastWord?: LastWord | undefined;
}

/** Plans what the run does after a turn. */
export function planTurn(run: RunParts, turn: Turn, isLast: boolean): Plan | Promise<Plan> {
  const planned = planOf(run, turn, isLast);
  return isPromise(planned) ? planned.then((plan) => unlessGoingOn(run, plan)) : unlessGoingOn(run, planned);
}

function unlessGoingOn(run: RunParts, plan: Plan): Plan | Promise<Plan> {
  if (plan.next !== 'end') return plan;
  const planFor = (next: Plan['next']): Plan => (next === 'end' ? plan : { added: plan.added, next });
  const next = afterAnswer(run);
  return isPromise(next) ? next.then(planFor) : planFor(next);
}

/**
 * Plans what the run does after an answer: another step for messages sent meanwhile, waiting for children in the
 * background, or the end.
 */
export function afterAnswer(
  run: RunParts,
): 'step' | 'children' | 'end' | Promise<'step' | 'children' | 'end'> {
  const { verdict, progress } = run.record;
  const mayGoOn =
    verdict.ending === undefined && !run.life.isStopping && progress.step < run.terms.parts.maxSteps;
  if (!mayGoOn) return 'end';
  const nextFor = (sent: boolean): 'step' | 'children' | 'end' => {
    if (sent) return 'step';
    return progress.hasBackground ? 'children' : 'end';
  };
  const sent = isSent(run);
  return isPromise(sent) ? sent.then(nextFor) : nextFor(sent);
}

function planOf(run: RunParts, turn: Turn, isLast: boolean): Plan | Promise<Plan> {
  const { response, isEmpty } = turn;
  const { message, finish } = response;
  const calls = toolCallsOf(message);
  // Empty answers are not stored.
  const added: Message[] = isEmpty ? [] : [message];
  const refuse = (why: string): void => {
    for (const call of calls)
      added.push(notExecuted({ callId: call.id, name: call.name }, why, run.record.newMessageId));
  };

  if (run.record.verdict.ending !== undefined) {
    refuse('the run was ended');
    return { added, next: 'end', lastWord: isEmpty ? undefined : keptAnswer(message) };
  }
  if (isLast && calls.length > 0) {
    refuse('the run has reached its last step');
    return { added, next: 'end', reason: 'max-steps' };
  }
  if (!isLast && run.record.verdict.more !== undefined) {
    refuse('another step was requested');
    added.push(...paired(run.record, run.signs, run.record.verdict.takeMore() ?? []));
    return { added, next: 'step' };
  }
  // The provider paused while executing its own tools, and continues in the next step.
  if (calls.length === 0 && finish === 'paused' && !isLast) return { added, next: 'step' };
  if (calls.length === 0) return planAnswer(run, turn, isLast, added);
  if (executableFinishes.has(finish)) return { added, next: 'tools' };
  refuse(`the answer was cut off (${finish})`);
  return { added, next: 'step' };
}

/**
 * Plans the end of the run with this answer, or another step if the answer is empty or does not match the output
 * schema.
 */
function planAnswer(
  run: RunParts,
  turn: Turn,
  isLast: boolean,
  added: readonly Message[],
): Plan | Promise<Plan> {
  const { response, isEmpty } = turn;
  const reason = isLast ? 'max-steps' : reasonOf(response);
  const end: Plan = { added, next: 'end', reason, lastWord: answerOf(response) };
  if (!isEmpty && run.terms.model.output === undefined) return end;
  return endRunIfInvalid(run, checkAnswer(run, turn, isLast)).then((correction) =>
    correction === undefined ? end : { added: [...added, correction], next: 'step' },
  );
}

function reasonOf({ finish }: CompleteResponse): StopReason {
  return finish === 'length' || finish === 'content-filter' ? finish : 'answer';
}

/**
 * Returns the answer as the last message of the run; it counts as shown, since its event follows its commit. Undefined
 * for an answer with tool calls.
 */
function answerOf({ message, finish }: CompleteResponse): LastWord | undefined {
  return toolCallsOf(message).length > 0 ? undefined : { message, finish, isShown: true };
}

/**
 * Returns the model's answer as the last message of a run that a plugin has ended. Such an answer need not match the
 * output schema. Undefined for an answer with tool calls.
 */
function keptAnswer(message: AssistantMessage): LastWord | undefined {
  return toolCallsOf(message).length > 0 ? undefined : { message, isShown: true };
}

/**
 * Returns the result of the answer check; rejects on an abort. An answer that stays invalid ends the run with an error.
 */
export async function endRunIfInvalid<T>(run: RunParts, check: Promise<T>): Promise<T> {
  try {
    return await run.life.orAbort(check);
  } catch (error) {
    if (isShallotError(error, 'OUTPUT_INVALID')) {
      run.record.progress.end('error');
    }
    throw error;
  }
}
