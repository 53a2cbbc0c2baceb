import { describeValue } from '../base/describe-value.ts';
import { isShallotError, ShallotError } from '../base/errors.ts';
import type { CompleteResponse } from '../contract/hooks.ts';
import { toolCallsOf, type AssistantMessage, type Message } from '../contract/messages.ts';
import type { StopReason } from '../contract/result.ts';
import type { RunPosition } from '../contract/store.ts';
import type { Tool } from '../contract/tool.ts';
import { badResult } from '../hooks/bad-result.ts';
import type { LiveTap } from '../hooks/live-tap.ts';
import { notExecuted } from '../sessions/pairing.ts';
import type { ActiveRun, LastWord } from './active-run.ts';
import { callHook, isIdle, type HookSpec } from './hook-caller.ts';
import { checkAnswer } from './model/check-answer.ts';
import { paired } from './model/model-request.ts';
import { takeModelTurn, type Turn } from './model/model-turn.ts';
import { checkOutput } from './model/output.ts';
import { announce, showLastWord } from './model/show-last-word.ts';
import { restoreTools, storeTools } from './offered-tools.ts';
import { executeCalls, toolFailed } from './tools/tool-turn.ts';

/** Finish reasons of a turn whose tool calls may be executed: in the others the last call may be cut off. */
const whole: ReadonlySet<string> = new Set(['stop', 'tool-calls', 'other']);

/** Takes a run from wherever it stands to its end. Throws what makes it fail, and interrupts. */
export async function runLoop(run: ActiveRun): Promise<void> {
  run.throwIfAborted();
  if (run.position.at === 'input') await begin(run);
  if (run.position.at === 'end') await restoreEnd(run, run.position);
  if (run.position.at === 'beforeModel' || run.position.at === 'afterModel') {
    const unanswered = run.unanswered();
    if (unanswered !== undefined) throw unanswered;
  }
  while (run.stopReason === undefined) await step(run);
  if (run.lastWord?.isShown === false) await showLastWord(run, run.lastWord);
}

/** `beforeAgent`, then the input becomes part of the session. */
async function begin(run: ActiveRun): Promise<void> {
  const { taps } = run.chains.beforeAgent;
  const spec: HookSpec<undefined> = {
    hook: 'beforeAgent',
    accept: acceptNothing,
    entered: (tap) => run.reach(tap.owner.id),
    locate: (tap) => ({ at: 'input', input: run.input, tap: tap.key }),
  };
  // After a crash the taps that were through are not run again; one that is gone is like one that was not there.
  const through = run.position.at === 'input' ? run.position.tap : undefined;
  const from = taps.find((tap) => tap.key === through)?.key;
  for (const tap of taps.slice(0, from === undefined ? 0 : taps.findIndex((each) => each.key === from))) {
    run.reach(tap.owner.id);
  }
  await callHook(run, run.chains.beforeAgent, spec, undefined, from);
  run.throwIfAborted();
  const append = takeInput(run);
  if (run.ending !== undefined) append.push(...endRun(run));
  await run.session.commit({ append, ...run.session.clearedJournal(), run: run.toRecord() });
}

function acceptNothing(tap: LiveTap, returned: unknown): undefined {
  if (returned === undefined) return undefined;
  throw badResult(tap, describeValue(returned), 'nothing; run.setInput replaces the input');
}

/** What the input adds to the session; the run stands before its first step then. */
export function takeInput(run: ActiveRun): Message[] {
  run.reachAll();
  run.stepStart = run.session.length;
  run.position = { at: 'step' };
  const append = [...paired(run, run.input)];
  run.firstMessage = append[0]?.id;
  return append;
}

async function step(run: ActiveRun): Promise<void> {
  if (run.position.at === 'tools')
    return finishCalls(run, lastTurn(run), restoreTools(run, run.position.offered));
  const { maxSteps, maxStepsAnswer } = run.parts;
  if (run.position.at === 'step') {
    if (run.position.begun !== true) {
      if (run.stopping) run.abort(new Error(`agent.stop ended it after step ${run.step}`));
      run.throwIfAborted();
      const isOver = run.step > maxSteps || (run.step === maxSteps && !maxStepsAnswer);
      if (isOver) return stop(run, 'max-steps', [], answeredAlready(run));
      run.step += 1;
      run.position = { at: 'step', begun: true };
    }
    void run.listener?.({ type: 'step-start', step: run.step });
  }
  // The step after the last one is there for the answer only.
  const isLast = run.step > maxSteps;
  const turn = await takeModelTurn(run, isLast);
  if (turn === undefined) return stop(run, undefined, []);
  await takeTurn(run, turn, isLast);
}

/** Commits a model's turn, and decides what comes of it. */
async function takeTurn(run: ActiveRun, turn: Turn, isLast: boolean): Promise<void> {
  const { response, offered, isEmpty } = turn;
  const { message, finish } = response;
  const calls = toolCallsOf(message);
  // Nothing of an empty answer is kept.
  const added: Message[] = isEmpty ? [] : [message];
  const refuse = (why: string): void => {
    for (const call of calls)
      added.push(notExecuted({ callId: call.id, name: call.name }, why, run.newMessageId));
  };

  if (run.ending !== undefined) {
    refuse('the run was ended');
    await stop(run, undefined, added);
  } else if (isLast) {
    if (calls.length === 0) await orEnd(run, checkAnswer(run, turn, true));
    refuse('the run has come to its last step');
    await stop(run, 'max-steps', added, answerOf(response));
  } else if (run.more !== undefined) {
    refuse('another step was asked for');
    added.push(...paired(run, run.more));
    run.more = undefined;
    await goOn(run, added);
  } else if (calls.length === 0) {
    const correction = await orEnd(run, checkAnswer(run, turn, false));
    if (correction === undefined) await stop(run, reasonOf(response), added, answerOf(response));
    else await goOn(run, [...added, correction]);
  } else if (!whole.has(finish)) {
    refuse(`the answer was cut off (${finish})`);
    await goOn(run, added);
  } else {
    run.position = { at: 'tools', offered: storeTools(run, offered) };
    await commitTurn(run, added);
    announce(run, response);
    return finishCalls(run, message, offered);
  }
  if (!isEmpty) announce(run, response);
}

function reasonOf({ finish }: CompleteResponse): StopReason {
  return finish === 'length' || finish === 'content-filter' ? finish : 'answer';
}

/** The last word of a turn that is announced as soon as it is committed. */
function answerOf({ message, finish }: CompleteResponse): LastWord | undefined {
  return toolCallsOf(message).length > 0 ? undefined : { message, finish, isShown: true };
}

/** The answer after which a plugin asked for a step that there is not, and added nothing. */
function answeredAlready({ session: { last } }: ActiveRun): LastWord | undefined {
  return last?.role === 'assistant' ? { message: last, isShown: true } : undefined;
}

/** What a check gives, unless an abort comes first. With an answer that stays wrong the run has come to its end. */
async function orEnd<T>(run: ActiveRun, check: Promise<T>): Promise<T> {
  try {
    return await run.orAbort(check);
  } catch (error) {
    if (isShallotError(error, 'OUTPUT_INVALID')) {
      run.stopReason = 'error';
      run.position = { at: 'end' };
    }
    throw error;
  }
}

async function finishCalls(
  run: ActiveRun,
  message: AssistantMessage,
  offered: readonly Tool[],
): Promise<void> {
  const { results, returned, failed } = await executeCalls(run, message, offered);
  if (run.ending !== undefined) return stop(run, undefined, results);
  if (failed !== undefined) {
    run.stopReason = 'error';
    run.position = { at: 'end', message: failed.message.id };
    await commitTurn(run, results);
    throw toolFailed(failed);
  }
  if (returned === undefined) return goOn(run, results);
  await stop(run, 'return-directly', results, { message: returned, isShown: false });
}

/** Finds again what a run was about to end with when its process died. */
async function restoreEnd(
  run: ActiveRun,
  { message: id, finish }: RunPosition & { at: 'end' },
): Promise<void> {
  const message = run.session.messages.findLast((each) => each.id === id);
  const isResult = message?.role === 'tool';
  if (isResult && run.stopReason === 'error') throw toolFailed({ message });
  if (run.stopReason === 'error') {
    const text = 'The run had failed when its process died; what with is not on record.';
    throw new ShallotError('SESSION_UNFINISHED', { message: text });
  }
  if (!isResult && message?.role !== 'assistant') return;
  run.lastWord = { message, ...(finish === undefined ? {} : { finish }), isShown: false };
  if (!isResult && finish !== undefined) await orEnd(run, checkOutput(run, message, true));
}

function goOn(run: ActiveRun, added: readonly Message[]): Promise<void> {
  run.position = { at: 'step' };
  return commitTurn(run, added);
}

/** Ends the loop; without a reason, in the way that `end` was called. */
async function stop(
  run: ActiveRun,
  reason: StopReason | undefined,
  added: readonly Message[],
  lastWord?: LastWord,
): Promise<void> {
  const append = [...added];
  if (reason === undefined) append.push(...endRun(run));
  else closeRun(run, reason, lastWord);
  run.edge = undefined;
  if (append.length === 0) return;
  // With nothing left to do, the turn goes out together with the end.
  if (isIdle(run.chains.afterAgent)) run.session.hold({ append, ...run.session.clearedJournal() });
  else await commitTurn(run, append);
}

/** What `end` leaves in the session; sets reason and last word. */
function endRun(run: ActiveRun): Message[] {
  const { message, reason = 'ended' } = run.ending ?? {};
  closeRun(run, reason, message && { message, isShown: false });
  return message === undefined ? [] : [message];
}

function closeRun(run: ActiveRun, reason: StopReason, lastWord: LastWord | undefined): void {
  run.stopReason = reason;
  run.lastWord = lastWord;
  const { message, finish } = lastWord ?? {};
  run.position = {
    at: 'end',
    ...(message === undefined ? {} : { message: message.id }),
    ...(finish === undefined ? {} : { finish }),
  };
}

function commitTurn(run: ActiveRun, append: readonly Message[]): Promise<void> {
  run.questions.forget();
  run.edge = undefined;
  return run.session.commit({ append, ...run.session.clearedJournal(), run: run.toRecord() });
}

function lastTurn(run: ActiveRun): AssistantMessage {
  // The position says that a turn with calls was committed, and nothing but results comes after it.
  return run.session.lastTurn()[0] as AssistantMessage;
}
