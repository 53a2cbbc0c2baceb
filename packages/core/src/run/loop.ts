import { setImmediate as tick } from 'node:timers/promises';

import type { Failure } from '../base/attempt.ts';
import { describeValue } from '../base/describe-value.ts';
import { ShallotError } from '../base/errors.ts';
import { isPromise } from '../base/is-promise.ts';
import { asThrown } from '../base/thrown.ts';
import type { AssistantMessage, Message } from '../contract/messages.ts';
import type { ModelRequest } from '../contract/model.ts';
import type { RunResult, StopReason } from '../contract/result.ts';
import type { RunPosition } from '../contract/store.ts';
import { badResult } from '../hooks/bad-result.ts';
import type { LiveTap } from '../hooks/live-tap.ts';
import type { LiveSession } from '../sessions/live/live-session.ts';
import type { ActiveRun } from './active-run.ts';
import { unanswered } from './ask.ts';
import { closeLeft } from './children/close-left.ts';
import { takeEnds, waitForChildren } from './children/wait-for-children.ts';
import { finishRun } from './finish-run.ts';
import { callHook, firstTap, type HookSpec } from './hook-caller.ts';
import { paired } from './model/check-request.ts';
import { ModelTurn, type Turn } from './model/model-turn.ts';
import { checkOutput } from './model/output.ts';
import { announce, showLastWord } from './model/show-last-word.ts';
import { takeSent } from './model/take-sent.ts';
import { noteCalls } from './model/tool-choice.ts';
import { restoreTools, storeTools } from './offered-tools.ts';
import type { LastWord } from './parts/verdict.ts';
import { afterAnswer, endRunIfInvalid, planTurn, type Plan } from './plan-turn.ts';
import { CallsInProgress, toolFailedError, type ToolTurn } from './tools/tool-turn.ts';

/** The number of steps after which a run checks the clock; most runs have fewer. */
const stepsPerLook = 10;
/** If a run has taken longer than this, in milliseconds, the event loop gets a turn. */
const maxMsInTurn = 10;

/** Takes a run from its current position to its end. Never rejects: a failure is part of the result. */
export async function runLoop(run: ActiveRun): Promise<RunResult> {
  let failure: Failure | undefined;
  try {
    run.life.throwIfStopped();
    const { position } = run.record.progress;
    if (run.record.isResumed) resumeChildren(run, position);
    if (position.at === 'input') await begin(run);
    else if (position.at !== 'step') await restore(run, position);
    let turnBegan = performance.now();
    while (run.record.progress.stopReason === undefined) {
      await step(run);
      // If models and tools answer at once, a run never waits on its own; this gives timers and other runs a turn.
      if (run.record.progress.step % stepsPerLook === 0 && performance.now() - turnBegan > maxMsInTurn) {
        await tick();
        turnBegan = performance.now();
      }
    }
    if (run.record.verdict.lastWord?.isShown === false) await showLastWord(run, run.record.verdict.lastWord);
  } catch (thrown) {
    failure = { error: asThrown(thrown) };
  }
  if (run.record.progress.hasBackground) await run.children.pause();
  return await finishRun(run, failure);
}

/** Continues the children in the background of a resumed run. */
function resumeChildren(run: ActiveRun, { at }: RunPosition): void {
  const { progress, verdict } = run.record;
  if (progress.hasBackground && at !== 'end' && verdict.ending === undefined) run.children.resume();
}

/** Restores the state of a resumed run at this position. @throws the interrupt of a question without an answer */
async function restore(run: ActiveRun, position: RunPosition): Promise<void> {
  if (position.at === 'end') await restoreEnd(run, position);
  const question =
    position.at === 'beforeModel' || position.at === 'afterModel'
      ? unanswered(run.record, run.signs)
      : undefined;
  if (question !== undefined) throw question;
}

/** Runs `beforeAgent`, then commits the input. */
async function begin(run: ActiveRun): Promise<void> {
  const { record } = run;
  const { progress } = record;
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
  // A resume from here calls none of these taps again.
  if (taps.length > 0) progress.moveTo({ at: 'input', input: progress.input, rest: [] });
  run.life.throwIfStopped();
  const taken = takeInput(run, progress.input);
  const append = record.verdict.ending === undefined ? taken : [...taken, ...record.closeAsAsked()];
  await record.session.commit({ append, ...record.session.clearedJournal(), run: record.toRecord() });
}

function acceptNothing(tap: LiveTap, returned: unknown): undefined {
  if (returned === undefined) return undefined;
  throw badResult(tap, describeValue(returned), 'nothing; use run.setInput to replace the input');
}

/** Returns the messages that the input adds to the session, and moves the run to its first step. */
export function takeInput(run: ActiveRun, input: readonly Message[]): readonly Message[] {
  // A single user message has neither calls nor results to pair.
  const append =
    input.length === 1 && input[0]?.role === 'user' ? input : paired(run.record, run.signs, input);
  run.record.progress.takeInput(append, run.record.session.length);
  return append;
}

async function step(run: ActiveRun): Promise<void> {
  const { progress, verdict } = run.record;
  if (progress.position.at === 'tools') return resumeCalls(run, progress.position);
  if (progress.position.at === 'children') await waitForChildren(run, run.children);
  const { position } = progress;
  if (position.at === 'children' || (position.at === 'step' && position.begun !== true)) {
    const isStopping = run.life.isStopping || run.terms.parent?.isStopping === true;
    if (isStopping && progress.hasBackground) await run.children.pause();
    if (!beginStep(run, isStopping)) return endLoop(run, 'max-steps', [], earlierAnswer(run.record.session));
  }
  if (progress.position.at === 'step' || progress.position.at === 'wrapModelCall')
    void run.signs.listener?.({ type: 'step-start', step: progress.step });
  // With `maxStepsAnswer`, one more step after the last asks for an answer and offers no tools.
  const isLast = progress.step > run.terms.parts.maxSteps;

  const modelTurn = new ModelTurn(run);
  let taken: Turn | Promise<Turn>;
  if (progress.position.at === 'afterModel') {
    taken = modelTurn.resume(progress.position);
  } else {
    if (progress.position.at === 'step') {
      // A list if the store is in memory, otherwise a promise.
      const sent = run.record.session.holdSent(run.terms.id);
      if (!Array.isArray(sent) || sent.length > 0) await takeSent(run, sent);
      // Children begin in tool calls, so there are none before the first calls.
      if (progress.step > 1 && progress.hasBackground) await takeEnds(run, run.children);
    }
    const prepared = modelTurn.request();
    const request = prepared instanceof Promise ? await prepared : prepared;
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

  // The `message` event follows the commit, except for a turn that is committed with the end of the run.
  const committed = commitPlan(run, plan, turn);
  if (committed !== undefined) await committed;
  if (!turn.isEmpty) announce(run.record, run.signs, turn.response);
  if (plan.next !== 'tools') return;
  const calls = new CallsInProgress(run, run.children, turn.response.message, turn.offered, false);
  for (let work = calls.next(); work !== undefined; work = calls.next()) await work;
  const outcome = calls.outcome();
  const left = progress.leftChildren;
  if (left.length > 0) await closeLeft(left, run.terms.parts.store, run.signs);
  return commitResults(run, outcome);
}

/** Commits a turn, and moves the run to what follows. */
function commitPlan(run: ActiveRun, plan: Plan, { offered }: Turn): Promise<void> | undefined {
  if (plan.next === 'end') return endLoop(run, plan.reason, plan.added, plan.lastWord);
  if (plan.next !== 'tools') return commitAndContinue(run, plan.added, plan.next);
  run.record.progress.moveTo({ at: 'tools', offered: storeTools(run.plugins, offered) });
  return run.record.commitTurn(plan.added);
}

async function resumeCalls(run: ActiveRun, { offered }: RunPosition & { at: 'tools' }): Promise<void> {
  const tools = restoreTools(run.plugins, run.signs, offered);
  const calls = new CallsInProgress(run, run.children, lastTurn(run), tools, true);
  for (let work = calls.next(); work !== undefined; work = calls.next()) await work;
  const outcome = calls.outcome();
  await closeLeft(run.record.progress.leftChildren, run.terms.parts.store, run.signs);
  return commitResults(run, outcome);
}

/** Begins the next step. Throws if the run is stopping. Returns false if no step is left. */
function beginStep(run: ActiveRun, isStopping: boolean): boolean {
  const { progress } = run.record;
  const { maxSteps, maxStepsAnswer } = run.terms.parts;
  if (isStopping) run.life.abort(stopAfter(progress.step, run.life.isHandedBack));
  run.life.throwIfStopped();
  if (progress.step > maxSteps || (progress.step === maxSteps && !maxStepsAnswer)) return false;
  progress.beginStep();
  return true;
}

function stopAfter(step: number, isHandedBack: boolean): Error {
  return new Error(`${isHandedBack ? 'its worker' : 'agent.stop'} ended it after step ${step}`);
}

/** Notes in the model's message who answered the questions of hooks since the previous message. */
function withNotes(run: ActiveRun, turn: Turn): Turn {
  const { response, isEmpty } = turn;
  // An empty message is not stored.
  const message = isEmpty ? response.message : run.record.questions.noteIn(response.message);
  return message === response.message ? turn : { ...turn, response: Object.freeze({ ...response, message }) };
}

function withoutTools(request: ModelRequest): ModelRequest {
  return Object.freeze({ ...request, toolChoice: 'none' as const, tools: [], providerTools: [] });
}

/** Returns the session's last message if it is an answer: a plugin asked for another step, but no step is left. */
function earlierAnswer({ last }: LiveSession): LastWord | undefined {
  return last?.role === 'assistant' ? { message: last, isShown: true } : undefined;
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
  const endUnless = (next: 'step' | 'children' | 'end'): Promise<void> | undefined =>
    next === 'end'
      ? endLoop(run, 'return-directly', results, { message: returned, isShown: false })
      : commitAndContinue(run, results, next);
  const next = afterAnswer(run);
  return isPromise(next) ? next.then(endUnless) : endUnless(next);
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

/** Commits the messages of a turn, and continues with the next step, or waits for the children in the background. */
function commitAndContinue(
  run: ActiveRun,
  added: readonly Message[],
  at: 'step' | 'children' = 'step',
): Promise<void> | undefined {
  run.record.progress.moveTo({ at });
  return run.record.commitTurn(added);
}

/**
 * Ends the loop for `reason`; without a reason, as `run.end` requested. `lastWord` is then the run's answer only if
 * `run.end` was given none.
 */
function endLoop(
  run: ActiveRun,
  reason: StopReason | undefined,
  added: readonly Message[],
  lastWord?: LastWord,
): Promise<void> | undefined {
  const append = [...added];
  if (reason === undefined) append.push(...run.record.closeAsAsked(lastWord));
  else run.record.close(reason, lastWord);
  run.record.progress.forgetShown();
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
