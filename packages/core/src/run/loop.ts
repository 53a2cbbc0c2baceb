import type { Failure } from '../base/attempt.ts';
import { describeValue } from '../base/describe-value.ts';
import { isShallotError, ShallotError } from '../base/errors.ts';
import { isPromise } from '../base/is-promise.ts';
import { asThrown } from '../base/thrown.ts';
import type { CompleteResponse } from '../contract/hooks.ts';
import { toolCallsOf, type AssistantMessage, type Message } from '../contract/messages.ts';
import type { ModelRequest } from '../contract/model.ts';
import type { RunResult, StopReason } from '../contract/result.ts';
import type { RunPosition } from '../contract/store.ts';
import { badResult } from '../hooks/bad-result.ts';
import type { LiveTap } from '../hooks/live-tap.ts';
import type { LiveChange } from '../sessions/journal-change.ts';
import { notExecuted } from '../sessions/pairing.ts';
import type { ActiveRun } from './active-run.ts';
import { unanswered } from './ask.ts';
import { finishRun } from './finish-run.ts';
import { callHook, isIdle, type HookSpec } from './hook-caller.ts';
import { checkAnswer } from './model/check-answer.ts';
import { paired } from './model/model-request.ts';
import { AskedModel, prepareRequest, resumeTurn, type Turn } from './model/model-turn.ts';
import { checkOutput } from './model/output.ts';
import { announce, showLastWord } from './model/show-last-word.ts';
import { noteCalls } from './model/tool-choice.ts';
import { restoreTools, storeTools } from './offered-tools.ts';
import type { LastWord } from './parts/verdict.ts';
import { CallsInProgress, toolFailed, type ToolTurn } from './tools/tool-turn.ts';

/** Finish reasons of a turn whose tool calls may be executed: in the others the last call may be cut off. */
const whole: ReadonlySet<string> = new Set(['stop', 'tool-calls', 'paused', 'other']);

/** Takes a run from wherever it stands to its end. Never rejects: the result tells. */
export async function runLoop(run: ActiveRun): Promise<RunResult> {
  let failure: Failure | undefined;
  try {
    run.life.throwIfStopped();
    if (run.progress.position.at === 'input') await begin(run);
    if (run.progress.position.at === 'end') await restoreEnd(run, run.progress.position);
    if (run.progress.position.at === 'beforeModel' || run.progress.position.at === 'afterModel') {
      const waits = unanswered(run);
      if (waits !== undefined) throw waits;
    }
    while (run.progress.stopReason === undefined) await step(run);
    if (run.verdict.lastWord?.isShown === false) await showLastWord(run, run.verdict.lastWord);
  } catch (thrown) {
    failure = { error: asThrown(thrown) };
  }
  return await finishRun(run, failure);
}

/** `beforeAgent`, then the input becomes part of the session. */
async function begin(run: ActiveRun): Promise<void> {
  const { taps } = run.chains.beforeAgent;
  const spec: HookSpec<undefined> = {
    hook: 'beforeAgent',
    accept: acceptNothing,
    entered: (tap) => run.reach(tap.owner.id),
    locate: (tap) => ({ at: 'input', input: run.progress.input, tap: tap.key }),
  };
  // After a crash the taps that were through are not run again; one that is gone is like one that was not there.
  const through = run.progress.position.at === 'input' ? run.progress.position.tap : undefined;
  const from = taps.find((tap) => tap.key === through)?.key;
  for (const tap of taps.slice(0, from === undefined ? 0 : taps.findIndex((each) => each.key === from))) {
    run.reach(tap.owner.id);
  }
  await callHook(run, run.chains.beforeAgent, spec, undefined, from);
  run.life.throwIfStopped();
  const taken = takeInput(run);
  const append = run.verdict.ending === undefined ? taken : [...taken, ...endRun(run)];
  await run.session.commit({ append, ...run.session.clearedJournal(), run: run.toRecord() });
}

function acceptNothing(tap: LiveTap, returned: unknown): undefined {
  if (returned === undefined) return undefined;
  throw badResult(tap, describeValue(returned), 'nothing; use run.setInput to replace the input');
}

/** What the input adds to the session; the run stands before its first step then. */
export function takeInput(run: ActiveRun): readonly Message[] {
  run.reachAll();
  const append = paired(run, run.progress.input);
  run.progress.takeInput(append, run.session.length);
  return append;
}

async function step(run: ActiveRun): Promise<void> {
  const { progress, verdict } = run;
  if (progress.position.at === 'tools') {
    const offered = restoreTools(run, progress.position.offered);
    const calls = new CallsInProgress(run, lastTurn(run), offered, true);
    await calls.work();
    return takeResults(run, calls.outcome());
  }
  if (progress.position.at === 'step' && !beginStep(run))
    return stop(run, 'max-steps', [], answeredAlready(run));
  // The step after the last one is there for the answer only.
  const isLast = progress.step > run.parts.maxSteps;

  let taken: Turn | Promise<Turn>;
  if (progress.position.at === 'afterModel') {
    taken = resumeTurn(run, progress.position);
  } else {
    const prepared = prepareRequest(run);
    const request = isPromise(prepared) ? await prepared : prepared;
    if (verdict.ending !== undefined) return stop(run, undefined, []);
    const asked = new AskedModel(run, isLast ? withoutTools(request) : request);
    try {
      taken = asked.take(await asked.answer);
    } finally {
      asked.leave();
    }
  }
  const turn = isPromise(taken) ? await taken : taken;
  const planned = planTurn(run, turn, isLast);
  const plan = isPromise(planned) ? await planned : planned;
  noteCalls(run, turn.response.message, plan.next === 'tools');

  if (plan.next === 'tools') {
    progress.moveTo({ at: 'tools', offered: storeTools(run, turn.offered) });
    const committed = commitTurn(run, plan.added);
    if (committed !== undefined) await committed;
    announce(run, turn.response);
    const calls = new CallsInProgress(run, turn.response.message, turn.offered, false);
    await calls.work();
    return takeResults(run, calls.outcome());
  }
  const committed =
    plan.next === 'step' ? goOn(run, plan.added) : stop(run, plan.reason, plan.added, plan.lastWord);
  if (committed !== undefined) await committed;
  if (!turn.isEmpty) announce(run, turn.response);
}

/** Counts a step that has not begun. False when there is none left. */
function beginStep(run: ActiveRun): boolean {
  const { progress, life } = run;
  const { maxSteps, maxStepsAnswer } = run.parts;
  if (progress.position.at === 'step' && progress.position.begun !== true) {
    if (life.isStopping)
      run.abort(
        new Error(`${life.isHandedBack ? 'its worker' : 'agent.stop'} ended it after step ${progress.step}`),
      );
    life.throwIfStopped();
    if (progress.step > maxSteps || (progress.step === maxSteps && !maxStepsAnswer)) return false;
    progress.beginStep();
  }
  void run.listener?.({ type: 'step-start', step: progress.step });
  return true;
}

function withoutTools(request: ModelRequest): ModelRequest {
  return Object.freeze({ ...request, toolChoice: 'none' as const, tools: [], providerTools: [] });
}

/** What comes of a model's turn: the messages to add, and what is done after that. */
interface Plan {
  readonly added: readonly Message[];
  readonly next: 'tools' | 'step' | 'end';
  /** Of an end; without one, it is ended in the way that `end` was called. */
  readonly reason?: StopReason;
  readonly lastWord?: LastWord | undefined;
}

function planTurn(run: ActiveRun, turn: Turn, isLast: boolean): Plan | Promise<Plan> {
  const { response, isEmpty } = turn;
  const { message, finish } = response;
  const calls = toolCallsOf(message);
  // Nothing of an empty answer is kept.
  const added: Message[] = isEmpty ? [] : [message];
  const refuse = (why: string): void => {
    for (const call of calls)
      added.push(notExecuted({ callId: call.id, name: call.name }, why, run.newMessageId));
  };

  if (run.verdict.ending !== undefined) {
    refuse('the run was ended');
    return { added, next: 'end' };
  }
  if (isLast && calls.length > 0) {
    refuse('the run has reached its last step');
    return { added, next: 'end', reason: 'max-steps' };
  }
  if (!isLast && run.verdict.more !== undefined) {
    refuse('another step was requested');
    added.push(...paired(run, run.verdict.takeMore() ?? []));
    return { added, next: 'step' };
  }
  // The provider goes on with its own tools.
  if (calls.length === 0 && finish === 'paused' && !isLast) return { added, next: 'step' };
  if (calls.length === 0) return planAnswer(run, turn, isLast, added);
  if (whole.has(finish)) return { added, next: 'tools' };
  refuse(`the answer was cut off (${finish})`);
  return { added, next: 'step' };
}

/** An answer ends the run, unless the model has to be told what is wrong with it. */
function planAnswer(
  run: ActiveRun,
  turn: Turn,
  isLast: boolean,
  added: readonly Message[],
): Plan | Promise<Plan> {
  const { response, isEmpty } = turn;
  const reason = isLast ? 'max-steps' : reasonOf(response);
  const end: Plan = { added, next: 'end', reason, lastWord: answerOf(response) };
  if (!isEmpty && run.output === undefined) return end;
  return orEnd(run, checkAnswer(run, turn, isLast)).then((correction) =>
    correction === undefined ? end : { added: [...added, correction], next: 'step' },
  );
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
      run.progress.end('error');
    }
    throw error;
  }
}

/** Commits the results of a step's calls, and decides what comes of them. */
function takeResults(run: ActiveRun, { results, returned, failed }: ToolTurn): Promise<void> | undefined {
  if (run.verdict.ending !== undefined) return stop(run, undefined, results);
  if (failed !== undefined) {
    run.progress.end('error', failed);
    const error = toolFailed(failed);
    return Promise.resolve(commitTurn(run, results)).then(() => Promise.reject(error));
  }
  if (returned === undefined) return goOn(run, results);
  return stop(run, 'return-directly', results, { message: returned, isShown: false });
}

/** Finds again what a run was about to end with when its process died. */
async function restoreEnd(
  run: ActiveRun,
  { message: id, finish }: RunPosition & { at: 'end' },
): Promise<void> {
  const message = run.session.messages.findLast((each) => each.id === id);
  const isResult = message?.role === 'tool';
  if (isResult && run.progress.stopReason === 'error') throw toolFailed({ message });
  if (run.progress.stopReason === 'error') {
    const text = 'The run had failed when its process died; its error was not saved.';
    throw new ShallotError('SESSION_UNFINISHED', { message: text });
  }
  if (!isResult && message?.role !== 'assistant') return;
  run.verdict.close({ message, ...(finish === undefined ? {} : { finish }), isShown: false });
  if (!isResult && finish !== undefined) await orEnd(run, checkOutput(run, message, true));
}

function goOn(run: ActiveRun, added: readonly Message[]): Promise<void> | undefined {
  run.progress.moveTo({ at: 'step' });
  return commitTurn(run, added);
}

/** Ends the loop; without a reason, in the way that `end` was called. */
function stop(
  run: ActiveRun,
  reason: StopReason | undefined,
  added: readonly Message[],
  lastWord?: LastWord,
): Promise<void> | undefined {
  const append = [...added];
  if (reason === undefined) append.push(...endRun(run));
  else closeRun(run, reason, lastWord);
  run.progress.settleShown();
  if (append.length === 0) return undefined;
  if (!isIdle(run.chains.afterAgent)) return commitTurn(run, append);
  // With nothing left to do, the turn goes out together with the end.
  run.session.hold(turnOf(run, append));
  return undefined;
}

/** What `end` leaves in the session; sets reason and last word. */
function endRun(run: ActiveRun): Message[] {
  const { message, reason = 'ended' } = run.verdict.ending ?? {};
  closeRun(run, reason, message && { message, isShown: false });
  return message === undefined ? [] : [message];
}

function closeRun(run: ActiveRun, reason: StopReason, lastWord: LastWord | undefined): void {
  run.verdict.close(lastWord);
  run.progress.end(reason, lastWord);
}

function commitTurn(run: ActiveRun, append: readonly Message[]): Promise<void> | undefined {
  return run.session.commit(turnOf(run, append));
}

/** The change that a turn makes in the session. */
function turnOf(run: ActiveRun, append: readonly Message[]): LiveChange {
  run.questions.forget();
  run.progress.settleShown();
  const { journal } = run.session.clearedJournal();
  const record = run.toRecord();
  return journal === undefined ? { append, run: record } : { append, journal, run: record };
}

function lastTurn(run: ActiveRun): AssistantMessage {
  // The position says that a turn with calls was committed, and nothing but results comes after it.
  return run.session.lastTurn()[0] as AssistantMessage;
}
