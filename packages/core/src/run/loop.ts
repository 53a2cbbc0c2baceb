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
import { notExecuted } from '../sessions/content/pairing.ts';
import type { LiveSession } from '../sessions/live/live-session.ts';
import type { ActiveRun } from './active-run.ts';
import { unanswered } from './ask.ts';
import { finishRun } from './finish-run.ts';
import { callHook, firstTap, type HookSpec } from './hook-caller.ts';
import { checkAnswer } from './model/check-answer.ts';
import { paired } from './model/check-request.ts';
import { ModelTurn, type Turn } from './model/model-turn.ts';
import { checkOutput } from './model/output.ts';
import { announce, showLastWord } from './model/show-last-word.ts';
import { noteCalls } from './model/tool-choice.ts';
import { restoreTools, storeTools } from './offered-tools.ts';
import { turnsBetween } from './parts/ticks.ts';
import type { LastWord } from './parts/verdict.ts';
import { CallsInProgress, toolFailedError, type ToolTurn } from './tools/tool-turn.ts';

/** Finish reasons after which tool calls are executed. With any other reason the last call may be incomplete. */
const executableFinishes: ReadonlySet<string> = new Set(['stop', 'tool-calls', 'paused', 'other']);

/** Takes a run from its current position to its end. Never rejects: a failure is part of the result. */
export async function runLoop(run: ActiveRun): Promise<RunResult> {
  let failure: Failure | undefined;
  try {
    run.life.throwIfStopped();
    if (run.record.progress.position.at === 'input') await begin(run);
    if (run.record.progress.position.at === 'end') await restoreEnd(run, run.record.progress.position);
    if (
      run.record.progress.position.at === 'beforeModel' ||
      run.record.progress.position.at === 'afterModel'
    ) {
      const question = unanswered(run);
      if (question !== undefined) throw question;
    }
    const turnIfDue = turnsBetween();
    while (run.record.progress.stopReason === undefined) {
      await step(run);
      const turn = turnIfDue();
      if (turn !== undefined) await turn;
    }
    if (run.record.verdict.lastWord?.isShown === false) await showLastWord(run, run.record.verdict.lastWord);
  } catch (thrown) {
    failure = { error: asThrown(thrown) };
  }
  return await finishRun(run, failure);
}

/** Runs `beforeAgent`, then commits the input. */
async function begin(run: ActiveRun): Promise<void> {
  const { progress } = run.record;
  const { taps } = run.terms.chains.beforeAgent;
  /** The input that the current tap received: a resume calls this tap again with it. */
  let { input } = progress;
  const spec: HookSpec<undefined> = {
    hook: 'beforeAgent',
    accept: acceptNothing,
    entered: (tap) => {
      ({ input } = progress);
      run.plugins.reach(tap.owner.id);
    },
    locate: (standing) => ({ at: 'input', input, ...standing }),
    follows: true,
  };
  // A resumed run skips the taps that finished before the crash or failure.
  const first = firstTap(taps, progress.position.at === 'input' ? progress.position : {});
  for (const tap of taps.slice(0, first)) run.plugins.reach(tap.owner.id);
  await callHook(run, run.terms.chains.beforeAgent, spec, undefined, first);
  if (taps.length > 0) progress.moveTo({ at: 'input', input: progress.input, rest: [] });
  run.life.throwIfStopped();
  const taken = takeInput(run);
  const append = run.record.verdict.ending === undefined ? taken : [...taken, ...run.record.closeAsAsked()];
  await run.record.session.commit({
    append,
    ...run.record.session.clearedJournal(),
    run: run.record.toRecord(),
  });
}

function acceptNothing(tap: LiveTap, returned: unknown): undefined {
  if (returned === undefined) return undefined;
  throw badResult(tap, describeValue(returned), 'nothing; use run.setInput to replace the input');
}

/** Returns the messages that the input adds to the session, and moves the run to its first step. */
export function takeInput(run: ActiveRun): readonly Message[] {
  run.plugins.reachAll();
  const append = paired(run, run.record.progress.input);
  run.record.progress.takeInput(append, run.record.session.length);
  return append;
}

async function step(run: ActiveRun): Promise<void> {
  const { progress, verdict } = run.record;
  if (progress.position.at === 'tools') {
    const offered = restoreTools(run.plugins, run.signs, progress.position.offered);
    const calls = new CallsInProgress(run, lastTurn(run), offered, true);
    await calls.execute();
    return commitResults(run, calls.outcome());
  }
  if (progress.position.at === 'step' && !beginStep(run))
    return endLoop(run, 'max-steps', [], earlierAnswer(run.record.session));
  if (progress.position.at === 'step' || progress.position.at === 'wrapModelCall')
    void run.signs.listener?.({ type: 'step-start', step: progress.step });
  // With `maxStepsAnswer`, one more step after the last asks for an answer and offers no tools.
  const isLast = progress.step > run.terms.parts.maxSteps;

  const modelTurn = new ModelTurn(run);
  let taken: Turn | Promise<Turn>;
  if (progress.position.at === 'afterModel') {
    taken = modelTurn.resume(progress.position);
  } else {
    const prepared = modelTurn.request();
    const request = isPromise(prepared) ? await prepared : prepared;
    if (verdict.ending !== undefined) return endLoop(run, undefined, []);
    try {
      taken = modelTurn.take(await modelTurn.ask(isLast ? withoutTools(request) : request));
    } finally {
      modelTurn.leave();
    }
  }
  const turn = withNotes(run, isPromise(taken) ? await taken : taken);
  const planned = planTurn(run, turn, isLast);
  const plan = isPromise(planned) ? await planned : planned;
  noteCalls(run.terms.model.toolChoice, progress, turn.response.message, plan.next === 'tools');

  if (plan.next === 'tools') {
    progress.moveTo({ at: 'tools', offered: storeTools(run.plugins, turn.offered) });
    const committed = run.record.commitTurn(plan.added);
    if (committed !== undefined) await committed;
    announce(run, turn.response);
    const calls = new CallsInProgress(run, turn.response.message, turn.offered, false);
    await calls.execute();
    return commitResults(run, calls.outcome());
  }
  // The `message` event follows the commit, except for a turn that is committed with the end of the run.
  const committed =
    plan.next === 'step'
      ? commitAndContinue(run, plan.added)
      : endLoop(run, plan.reason, plan.added, plan.lastWord);
  if (committed !== undefined) await committed;
  if (!turn.isEmpty) announce(run, turn.response);
}

/** Begins the next step, unless it had begun before a resume. Returns false if no step is left. */
function beginStep(run: ActiveRun): boolean {
  const { record, life } = run;
  const { progress } = record;
  const { maxSteps, maxStepsAnswer } = run.terms.parts;
  if (progress.position.at === 'step' && progress.position.begun !== true) {
    if (life.isStopping)
      run.life.abort(
        new Error(`${life.isHandedBack ? 'its worker' : 'agent.stop'} ended it after step ${progress.step}`),
      );
    life.throwIfStopped();
    if (progress.step > maxSteps || (progress.step === maxSteps && !maxStepsAnswer)) return false;
    progress.beginStep();
  }
  return true;
}

/** Notes in the model's message who has answered the questions of hooks since the message before it. */
function withNotes(run: ActiveRun, turn: Turn): Turn {
  const { response, isEmpty } = turn;
  // An empty message is not stored.
  const message = isEmpty ? response.message : run.record.questions.noteIn(response.message);
  return message === response.message ? turn : { ...turn, response: Object.freeze({ ...response, message }) };
}

function withoutTools(request: ModelRequest): ModelRequest {
  return Object.freeze({ ...request, toolChoice: 'none' as const, tools: [], providerTools: [] });
}

/** The messages to commit after a model turn, and how the run continues. */
interface Plan {
  readonly added: readonly Message[];
  readonly next: 'tools' | 'step' | 'end';
  /** Set when `next` is `end`; undefined if a plugin called `run.end`, which has its own reason. */
  readonly reason?: StopReason;
  readonly lastWord?: LastWord | undefined;
}

function planTurn(run: ActiveRun, turn: Turn, isLast: boolean): Plan | Promise<Plan> {
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
    return { added, next: 'end' };
  }
  if (isLast && calls.length > 0) {
    refuse('the run has reached its last step');
    return { added, next: 'end', reason: 'max-steps' };
  }
  if (!isLast && run.record.verdict.more !== undefined) {
    refuse('another step was requested');
    added.push(...paired(run, run.record.verdict.takeMore() ?? []));
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
  run: ActiveRun,
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

/** Returns the answer as the last message of the run. `isShown`: its event follows its commit. */
function answerOf({ message, finish }: CompleteResponse): LastWord | undefined {
  return toolCallsOf(message).length > 0 ? undefined : { message, finish, isShown: true };
}

/** Returns the last answer of the session: a plugin asked for another step with `again`, but no step is left. */
function earlierAnswer({ last }: LiveSession): LastWord | undefined {
  return last?.role === 'assistant' ? { message: last, isShown: true } : undefined;
}

/**
 * Returns the result of the answer check; rejects on an abort. An answer that stays invalid ends the run with an error.
 */
async function endRunIfInvalid<T>(run: ActiveRun, check: Promise<T>): Promise<T> {
  try {
    return await run.life.orAbort(check);
  } catch (error) {
    if (isShallotError(error, 'OUTPUT_INVALID')) {
      run.record.progress.end('error');
    }
    throw error;
  }
}

/**
 * Commits the results of a step's calls, then ends the run or continues with the next step. `run.end` takes precedence
 * over a failed tool (`toolErrors: 'throw'`), and both over a `returnDirectly` tool.
 */
function commitResults(run: ActiveRun, { results, returned, failed }: ToolTurn): Promise<void> | undefined {
  if (run.record.verdict.ending !== undefined) return endLoop(run, undefined, results);
  if (failed !== undefined) {
    run.record.progress.end('error', failed);
    const error = toolFailedError(failed);
    return Promise.resolve(run.record.commitTurn(results)).then(() => Promise.reject(error));
  }
  if (returned === undefined) return commitAndContinue(run, results);
  return endLoop(run, 'return-directly', results, { message: returned, isShown: false });
}

/**
 * Restores the last message of a run that had reached its end when its process died. @throws the error of a run that
 * had failed
 */
async function restoreEnd(
  run: ActiveRun,
  { message: id, finish }: RunPosition & { at: 'end' },
): Promise<void> {
  const message = run.record.session.messages.findLast((each) => each.id === id);
  const isResult = message?.role === 'tool';
  if (isResult && run.record.progress.stopReason === 'error') throw toolFailedError({ message });
  if (run.record.progress.stopReason === 'error') {
    const text = 'The run had failed when its process died; its error was not saved.';
    throw new ShallotError('SESSION_UNFINISHED', { message: text });
  }
  if (!isResult && message?.role !== 'assistant') return;
  run.record.verdict.close({ message, ...(finish === undefined ? {} : { finish }), isShown: false });
  if (!isResult && finish !== undefined)
    await endRunIfInvalid(run, checkOutput(run.record, run.terms.model.output, message, true));
}

function commitAndContinue(run: ActiveRun, added: readonly Message[]): Promise<void> | undefined {
  run.record.progress.moveTo({ at: 'step' });
  return run.record.commitTurn(added);
}

/** Ends the loop for `reason`, or as `run.end` asked if it is undefined. */
function endLoop(
  run: ActiveRun,
  reason: StopReason | undefined,
  added: readonly Message[],
  lastWord?: LastWord,
): Promise<void> | undefined {
  const append = [...added];
  if (reason === undefined) append.push(...run.record.closeAsAsked());
  else run.record.close(reason, lastWord);
  run.record.progress.settleShown();
  if (append.length === 0) return undefined;
  if (!run.terms.chains.afterAgent.isIdle) return run.record.commitTurn(append);
  // Without `afterAgent` taps, the turn is committed together with the end of the run.
  run.record.holdTurn(append);
  return undefined;
}

function lastTurn(run: ActiveRun): AssistantMessage {
  // At the position `tools` the last turn of the session starts with the assistant message that has the calls.
  return run.record.session.lastTurn()[0] as AssistantMessage;
}
