import type { ActiveRun } from './active-run.ts';
import type { Chains } from './chains.ts';
import { isShallotError, isTransient, messageOf, ShallotError } from './errors.ts';
import { callHook, isIdle, type HookSpec } from './hook-caller.ts';
import { inTime } from './in-time.ts';
import { isInterrupt } from './interrupt-signal.ts';
import { badResult, describeValue, type LiveTap } from './live-tap.ts';
import { answerText, runLoop } from './loop.ts';
import type { Message } from './messages.ts';
import { modelError } from './model-error.ts';
import { resultsOfOpenCalls } from './open-calls.ts';
import type { Outcome, RunResult, StopReason } from './result.ts';

/** Runs a claimed run to its end, inside the frames that plugins put around it. Never rejects: the result tells. */
export async function conductRun(run: ActiveRun): Promise<RunResult> {
  void run.listener?.({ type: 'run-start', run: run.id, session: run.session.id, resumed: run.resumed });
  const { frames } = run.chains;
  const result = frames.length === 0 ? await conduct(run) : await conductInFrames(run, frames);
  void run.listener?.({ type: 'run-end', result });
  return result;
}

async function conduct(run: ActiveRun): Promise<RunResult> {
  let thrown: unknown;
  try {
    await runLoop(run);
  } catch (error) {
    thrown = error ?? new Error('undefined was thrown');
  }
  return finishRun(run, thrown);
}

/** How many turns of the microtask queue an `async` frame takes to settle that does nothing after the run. */
const turnsOfFrame = 8;

/** A frame decides nothing: one that fails before it has entered the run makes it fail, one that fails later is noted. */
async function conductInFrames(run: ActiveRun, frames: Chains['frames']): Promise<RunResult> {
  let conducted: Promise<RunResult> | undefined;
  let entered: PromiseWithResolvers<undefined> | undefined;
  let enter = (): Promise<RunResult> => {
    conducted ??= conduct(run);
    entered?.resolve(undefined);
    return conducted;
  };
  for (const { owner, surround } of frames.toReversed()) {
    const inner = enter;
    enter = async () => {
      try {
        const settled = await surround(run.viewFor(owner), inner);
        if (conducted === undefined) throw frameMissedNext(owner.id);
        return settled;
      } catch (error) {
        run.blameFrame(owner, error);
        throw error;
      }
    };
  }
  const state = { isSettled: false };
  const framing = attempt(enter).finally(() => {
    state.isSettled = true;
  });
  const { hookTimeoutMs } = run.parts;
  const late = (): ShallotError => frameTimedOut(run);
  // Most frames enter at once: then there is nothing to wait for.
  const isEntered = (): boolean => conducted !== undefined;
  let outside: unknown;
  if (!isEntered()) {
    entered = Promise.withResolvers<undefined>();
    const first = Promise.race([framing, entered.promise]);
    outside = await attempt(() => run.orAbort(inTime(first, hookTimeoutMs, late)));
  }
  if (conducted === undefined) {
    // Whoever enters now is too late: the run has its result.
    conducted = finishRun(run, outside ?? (await framing));
    return conducted;
  }
  const result = await conducted;
  // Most frames settle with the run: a timer for each would cost more than they do.
  for (let turn = 0; turn < turnsOfFrame * frames.length && !state.isSettled; turn += 1) {
    await Promise.resolve();
  }
  let failure: unknown;
  try {
    failure = await (state.isSettled ? framing : inTime(framing, hookTimeoutMs, late));
  } catch (late) {
    failure = late;
  }
  if (failure === undefined) return result;
  const noted = wrapError(run, failure);
  run.parts.log.warn({ err: noted, run: run.id }, 'a frame failed');
  return Object.freeze({ ...result, errors: Object.freeze([...result.errors, noted]) });
}

function frameTimedOut(run: ActiveRun): ShallotError {
  const plugins = run.chains.frames.map(({ owner }) => owner.id).join(', ');
  return new ShallotError('HOOK_TIMEOUT', {
    message: `A frame did not call next, or did not settle after it, within ${run.parts.hookTimeoutMs} ms. The frames are those of ${plugins}.`,
  });
}

function frameMissedNext(plugin: string): ShallotError {
  return new ShallotError('PLUGIN_FAILED', {
    message: `The frame of ${plugin} settled without calling next. A frame must call and return next().`,
    plugin,
  });
}

/** What was thrown, or undefined. */
async function attempt(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error ?? new Error('undefined was thrown');
  }
}

/** How the loop came out. */
interface End {
  readonly outcome: Outcome;
  readonly stopReason: StopReason;
  readonly error: ShallotError | undefined;
}

/** Answers what is open, lets `afterAgent` have its say, and commits the end. */
async function finishRun(run: ActiveRun, thrown: unknown): Promise<RunResult> {
  let end = endOf(run, thrown);
  if (end.outcome !== 'interrupted') {
    run.stopReason = end.stopReason;
    run.interrupts = [];
    run.closeQuestions();
    run.position = { at: 'end' };
    // A run that is completed has answered its calls by itself.
    if (end.outcome !== 'completed') end = failedBy(run, end, await answerOpenCalls(run, end.outcome));
  }
  const draft = resultOf(run, end);
  let result = isIdle(run.chains.afterAgent) ? draft : await passAfterAgent(run, draft);
  const lost = run.parts.logLosses.report();
  if (lost !== undefined) run.warn('LOG_LOST', lost);
  const journal = end.outcome === 'interrupted' ? {} : run.session.clearedJournal();
  // From here on nothing that was left running may touch the session.
  run.ended = true;
  run.closeFrames(() => new ShallotError('RUN_ENDED', { message: 'The run has ended.' }));
  try {
    await run.session.release({ ...journal, run: run.toRecord(end.outcome) });
  } catch (error) {
    const { outcome, stopReason, ...failed } = failedBy(run, end, error);
    result = { ...result, ...errorOf(failed), outcome, stopReason };
  }
  return Object.freeze({ ...result, errors: Object.freeze([...run.errors]) });
}

/** Abort, failure, end, interrupt: the first of these that holds. */
function endOf(run: ActiveRun, thrown: unknown): End {
  if (run.aborted !== undefined) return { outcome: 'aborted', stopReason: 'abort', error: run.aborted };
  const isAsking = run.interrupts.length > 0 && isInterrupt(thrown);
  if (thrown !== undefined && !isAsking) return failedEnd(run, thrown);
  if (run.stopReason !== undefined)
    return { outcome: 'completed', stopReason: run.stopReason, error: undefined };
  return { outcome: 'interrupted', stopReason: 'interrupt', error: undefined };
}

function failedEnd(run: ActiveRun, thrown: unknown): End {
  const blame = run.blameFor(thrown);
  const isModel = blame !== undefined && blame.plugin === undefined;
  return { outcome: 'failed', stopReason: isModel ? 'model_error' : 'error', error: wrapError(run, thrown) };
}

/** The end after something more went wrong; an end that is a failure already stays what it is. */
function failedBy(run: ActiveRun, end: End, thrown: unknown): End {
  if (thrown === undefined || end.outcome === 'failed') return end;
  if (end.outcome !== 'aborted') return failedEnd(run, thrown);
  run.errors.push(wrapError(run, thrown));
  return end;
}

/** The error that a run is rejected with: who threw is said, and the original is the cause. */
function wrapError(run: ActiveRun, thrown: unknown): ShallotError {
  const blame = run.blameFor(thrown);
  const who = blame?.plugin === undefined ? {} : blame;
  const said = messageOf(thrown);
  if (isShallotError(thrown)) {
    // The core's own error around what was thrown (TOOL_FAILED, for one) has the original as its cause already.
    if (blame === undefined && thrown.cause !== undefined) return thrown;
    const { code, transient, retryAt, at, plugin, hook } = thrown;
    return new ShallotError(code, {
      message:
        who.plugin === undefined || who.plugin === plugin
          ? said
          : `${who.hook ?? 'the frame'} of ${who.plugin}: ${said}`,
      transient,
      ...(retryAt === undefined ? {} : { retryAt }),
      ...(plugin === undefined ? {} : { plugin }),
      ...(hook === undefined ? {} : { hook }),
      ...who,
      ...(at === undefined ? {} : { at }),
      cause: thrown,
    });
  }
  if (who.plugin !== undefined) {
    const message = `${who.hook ?? 'the frame'} of the plugin ${who.plugin} threw: ${said}`;
    return new ShallotError('PLUGIN_FAILED', { message, ...who, cause: thrown });
  }
  if (blame !== undefined) {
    const message = `The model ${run.parts.model.id} failed: ${said}`;
    return modelError('MODEL_FAILED', { message, transient: isTransient(thrown), cause: thrown });
  }
  return new ShallotError('INTERNAL', {
    message: `The core itself failed: ${said}. Please report this.`,
    cause: thrown,
  });
}

/** Every tool call gets its one result, whatever became of the run. Gives what went wrong. */
function answerOpenCalls(run: ActiveRun, outcome: 'aborted' | 'failed'): Promise<unknown> {
  const why = outcome === 'aborted' ? 'the run was aborted' : 'the run failed';
  const append = resultsOfOpenCalls(run.session, why, run.newMessageId);
  return append.length === 0 ? Promise.resolve(undefined) : attempt(() => run.session.commit({ append }));
}

function resultOf(run: ActiveRun, end: End): RunResult {
  const { answer } = run;
  return {
    outcome: end.outcome,
    stopReason: end.stopReason,
    text: end.outcome === 'completed' ? answerText(run) : '',
    ...(answer === undefined ? {} : { output: answer.value }),
    messages: messagesOfRun(run),
    interrupts: run.interrupts,
    usage: run.usage,
    steps: run.step,
    session: run.session.id,
    run: run.id,
    ...errorOf(end),
    errors: run.errors,
  };
}

function errorOf({ error }: Pick<End, 'error'>): { readonly error?: ShallotError } {
  return error === undefined ? {} : { error };
}

/** What the run added, as far as it is still there. */
function messagesOfRun(run: ActiveRun): readonly Message[] {
  const { session, firstMessage } = run;
  const known = session.findLast((message) => message.id === firstMessage);
  if (known !== -1) return session.messagesFrom(known);
  // The first one was replaced, by a summary for instance: those that bear the run's mark are left.
  return session.messages.filter((message) => message.id.startsWith(`${run.id}.`));
}

async function passAfterAgent(run: ActiveRun, draft: RunResult): Promise<RunResult> {
  const accept = (tap: LiveTap, returned: unknown, given: RunResult): RunResult => {
    if (returned === undefined || returned === given) return given;
    if (typeof returned !== 'object' || returned === null || !('text' in returned)) {
      throw badResult(tap, describeValue(returned), 'a run result: spread the one it was given');
    }
    const { outcome, stopReason, session, run: id, error } = given;
    // A result may be changed in everything but what it is the result of, and how that came out.
    const kept = { outcome, stopReason, session, run: id, ...(error === undefined ? {} : { error }) };
    return { ...given, ...(returned as RunResult), ...kept };
  };
  const failed = (error: unknown): void => {
    const failure = wrapError(run, error);
    run.errors.push(failure);
    run.warn(failure.code, failure.message, failure.plugin);
  };
  const skips = (tap: LiveTap): boolean => !run.wasReached(tap.owner.id);
  const spec: HookSpec<RunResult> = {
    hook: 'afterAgent',
    accept,
    skips,
    failed: (_, error) => failed(error),
  };
  try {
    return await callHook(run, run.chains.afterAgent, spec, draft);
  } catch (error) {
    // Only an interceptor can make the hook itself fail.
    failed(error);
    return draft;
  }
}
