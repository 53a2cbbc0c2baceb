import type { ActiveRun } from './active-run.ts';
import { isShallotError, isTransient, messageOf, ShallotError } from './errors.ts';
import { callHook } from './hook-caller.ts';
import { isInterrupt } from './interrupt-signal.ts';
import { badResult, describeValue, type LiveTap } from './live-tap.ts';
import { answerText, runLoop } from './loop.ts';
import type { Message } from './messages.ts';
import { notExecuted, openCalls } from './pairing.ts';
import type { Outcome, RunResult, StopReason } from './result.ts';
import { finalKey } from './tool-turn.ts';

/** Runs a claimed run to its end, inside the frames that plugins put around it. Never rejects: the result tells. */
export async function conductRun(run: ActiveRun): Promise<RunResult> {
  void run.emit({ type: 'run-start', run: run.id, session: run.session.id, resumed: run.resumed });
  let result: RunResult | undefined;
  const conduct = async (): Promise<RunResult> => {
    result ??= await finishRun(run, await attempt(() => runLoop(run)));
    return result;
  };
  let failure: unknown;
  try {
    await frameRun(run, conduct);
  } catch (error) {
    failure = error;
  }
  // A frame decides nothing: one that fails before it has entered the run makes it fail, one that fails later is noted.
  result ??= await finishRun(run, failure ?? frameMissedNext());
  if (failure !== undefined) run.parts.log.error({ err: failure, run: run.id }, 'a frame failed');
  run.ended = true;
  void run.emit({ type: 'run-end', result });
  return result;
}

function frameRun(run: ActiveRun, conduct: () => Promise<RunResult>): Promise<RunResult> {
  const view = run.viewFor(run.parts.toolOwner);
  let next = conduct;
  for (const surround of run.chains.frames.toReversed()) {
    const inner = next;
    next = async () => surround(view, inner);
  }
  return next();
}

function frameMissedNext(): ShallotError {
  return new ShallotError('PLUGIN_FAILED', {
    message: 'A frame of a plugin settled without calling next. A frame must call and return next().',
  });
}

/** What was thrown, or undefined. */
async function attempt(work: () => Promise<void>): Promise<unknown> {
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
  run.stopReason = end.stopReason;
  if (end.outcome !== 'interrupted') {
    run.interrupts = [];
    run.answers.clear();
    run.position = { at: 'end' };
    end = failedBy(run, end, await attempt(() => answerOpenCalls(run, end.outcome)));
  }
  let result = await passAfterAgent(run, resultOf(run, end));
  const journal = end.outcome === 'interrupted' ? {} : { journal: run.session.clearedJournal() };
  const failure = await attempt(() => run.session.release({ ...journal, run: run.toRecord(end.outcome) }));
  const failed = failedBy(run, end, failure);
  if (failed !== end) result = { ...result, ...errorOf(failed), outcome: failed.outcome, stopReason: failed.stopReason };
  return Object.freeze({ ...result, errors: Object.freeze([...run.errors]) });
}

/** Abort, failure, end, interrupt: the first of these that holds. */
function endOf(run: ActiveRun, thrown: unknown): End {
  if (run.aborted !== undefined) return { outcome: 'aborted', stopReason: 'abort', error: run.aborted };
  if (thrown !== undefined && !isInterrupt(thrown)) return failedEnd(run, thrown);
  if (run.stopReason !== undefined) return { outcome: 'completed', stopReason: run.stopReason, error: undefined };
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
  return failedEnd(run, thrown);
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
      message: who.plugin === undefined || who.plugin === plugin ? said : `${who.hook} of ${who.plugin}: ${said}`,
      transient,
      ...(retryAt === undefined ? {} : { retryAt }),
      ...(at === undefined ? {} : { at }),
      ...(plugin === undefined ? {} : { plugin }),
      ...(hook === undefined ? {} : { hook }),
      ...who,
      cause: thrown,
    });
  }
  if (who.plugin !== undefined) {
    const message = `${who.hook} of the plugin ${who.plugin} threw: ${said}`;
    return new ShallotError('PLUGIN_FAILED', { message, ...who, cause: thrown });
  }
  if (blame !== undefined) {
    const message = `The model ${run.parts.model.id} failed: ${said}`;
    return new ShallotError('MODEL_FAILED', { message, transient: isTransient(thrown), cause: thrown });
  }
  return new ShallotError('INTERNAL', { message: `The core itself failed: ${said}. Please report this.`, cause: thrown });
}

/** Every tool call gets its one result, whatever became of the run. */
async function answerOpenCalls(run: ActiveRun, outcome: Outcome): Promise<void> {
  const open = openCalls(run.session.messages);
  if (open.length === 0) return;
  const why = { aborted: 'the run was aborted', failed: 'the run failed', completed: 'the run was ended', interrupted: '' };
  const append = open.map((call) => {
    const known = run.session.journalled(finalKey(call.callId));
    return known?.type === 'final' ? known.message : notExecuted(call, why[outcome], run.newMessageId);
  });
  await run.session.commit({ append });
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

function errorOf({ error }: End): { readonly error?: ShallotError } {
  return error === undefined ? {} : { error };
}

/** What the run added, as far as it is still there. */
function messagesOfRun(run: ActiveRun): readonly Message[] {
  const { messages } = run.session;
  const known = messages.findLastIndex((message) => message.id === run.firstMessage);
  if (known !== -1) return messages.slice(known);
  // The first one was replaced, by a summary for instance: those that bear the run's mark are left.
  return messages.filter((message) => message.id.startsWith(`${run.id}.`));
}

async function passAfterAgent(run: ActiveRun, draft: RunResult): Promise<RunResult> {
  const accept = (tap: LiveTap, returned: unknown, given: RunResult): RunResult => {
    if (returned === undefined || returned === given) return given;
    if (typeof returned !== 'object' || returned === null || !('text' in returned)) {
      throw badResult(tap, describeValue(returned), 'a run result: spread the one it was given');
    }
    const { outcome, session, run: id } = given;
    // A result may be changed in everything but what it is the result of, and how that came out.
    return { ...given, ...(returned as RunResult), outcome, session, run: id };
  };
  return callHook(
    run,
    run.chains.afterAgent,
    {
      hook: 'afterAgent',
      accept,
      skips: (tap) => !run.wasReached(tap.owner.id),
      failed: (tap, error) => {
        const failure = wrapError(run, error);
        run.errors.push(failure);
        run.warn(failure.code, failure.message, tap.info.plugin);
      },
    },
    draft,
  );
}
