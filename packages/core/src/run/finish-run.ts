import type { Failure } from '../base/attempt.ts';
import { isShallotError, type ShallotError } from '../base/errors.ts';
import { isInterrupt } from '../contract/interrupt-signal.ts';
import { textOf, type Message } from '../contract/messages.ts';
import type { Outcome, RunResult, StopReason } from '../contract/result.ts';
import { sourcesOf } from '../sessions/sources-of.ts';
import type { ActiveRun } from './active-run.ts';
import { callHook, isIdle, type HookSpec } from './hook-caller.ts';
import { runError } from './run-error.ts';
import { warnOfShortfall } from './shortfall.ts';
import { acceptResult } from './tools/accept-result.ts';

/** How the loop came out. */
interface End {
  readonly outcome: Outcome;
  readonly stopReason: StopReason;
  readonly error: ShallotError | undefined;
}

/**
 * Lets `afterAgent` have its say, and commits the end. A run that has not come to its end stays in the record as it stands,
 * with its open calls: a resume takes it up there.
 */
export function finishRun(run: ActiveRun, failure: Failure | undefined): RunResult | Promise<RunResult> {
  const end = endOf(run, failure);
  run.life.decide();
  if (run.progress.position.at === 'end') {
    run.questions.withdraw();
    run.questions.forget();
  } else if (end.outcome !== 'interrupted') {
    run.progress.stopFor(end.stopReason);
  }
  if (end.outcome === 'completed') warnOfShortfall(run, end.stopReason);
  const draft = resultOf(run, end);
  if (isIdle(run.chains.afterAgent)) return commitEnd(run, end, draft);
  return passAfterAgent(run, draft).then((result) => commitEnd(run, end, result));
}

function commitEnd(run: ActiveRun, end: End, result: RunResult): RunResult | Promise<RunResult> {
  const lost = run.parts.logLosses.report();
  if (lost !== undefined) run.warn('LOG_LOST', lost);
  const journal = run.progress.position.at === 'end' ? run.session.clearedJournal() : {};
  // From here on nothing that was left running may touch the session.
  run.life.end();
  const status = run.life.isHandedBack && end.outcome === 'aborted' ? 'running' : end.outcome;
  const released = run.session.release({ ...journal, run: run.toRecord(status, end.error) });
  if (released === undefined) return withErrors(run, result);
  return released.then(
    () => withErrors(run, result),
    (error: unknown) => {
      const failed = failedBy(run, end, error);
      // What the run would have answered is no answer of a run that failed.
      return withErrors(run, failed === end ? result : resultOf(run, failed));
    },
  );
}

/** A result with the failures that came after it was made. */
function withErrors(run: ActiveRun, result: RunResult): RunResult {
  if (result.errors.length === run.errors.length) return result;
  return Object.freeze({ ...result, errors: errorsOf(run) });
}

/** Abort, failure, end, interrupt: the first of these that holds. */
function endOf(run: ActiveRun, failure: Failure | undefined): End {
  if (run.life.aborted !== undefined)
    return { outcome: 'aborted', stopReason: 'abort', error: run.life.aborted };
  if (run.life.stopped !== undefined) return failedEnd(run, run.life.stopped);
  const isAsking = run.questions.open.length > 0 && isInterrupt(failure?.error);
  if (failure !== undefined && !isAsking) return failedEnd(run, failure.error);
  if (run.progress.stopReason !== undefined)
    return { outcome: 'completed', stopReason: run.progress.stopReason, error: undefined };
  return { outcome: 'interrupted', stopReason: 'interrupt', error: undefined };
}

function failedEnd(run: ActiveRun, thrown: unknown): End {
  const blame = run.blames.of(thrown);
  const isModel = blame !== undefined && blame.plugin === undefined;
  return { outcome: 'failed', stopReason: isModel ? 'model-error' : 'error', error: runError(run, thrown) };
}

/** The end after something more went wrong; an end that is a failure already stays what it is. */
function failedBy(run: ActiveRun, end: End, error: unknown): End {
  if (end.outcome === 'failed') return end;
  if (isShallotError(error, 'RUN_ABORTED')) return { outcome: 'aborted', stopReason: 'abort', error };
  if (end.outcome !== 'aborted') return failedEnd(run, error);
  // A store that does not answer is said to do so once.
  if (run.errors.some(({ cause }) => cause === error)) return end;
  run.note(runError(run, error));
  return end;
}

function resultOf(run: ActiveRun, end: End): RunResult {
  const { output, lastWord } = run.verdict;
  const said = end.outcome === 'completed' ? lastWord : undefined;
  const messages = messagesOfRun(run);
  const result: { -readonly [K in keyof RunResult]: RunResult[K] } = {
    outcome: end.outcome,
    stopReason: end.stopReason,
    text: said === undefined ? '' : textOf(said.message),
    messages,
    sources: sourcesOf(messages, lengthOfInput(run, messages)),
    interrupts: frozenList(run.questions.of(end.outcome)),
    usage: run.progress.usage,
    steps: run.progress.step,
    sessionId: run.session.id,
    runId: run.id,
    errors: errorsOf(run),
  };
  if (said?.finish !== undefined) result.finish = said.finish;
  if (output !== undefined) result.output = output.value;
  if (end.error !== undefined) result.error = end.error;
  return Object.freeze(result);
}

/** How many of a run's messages are its input: what was passed in is not an answer of this run. */
function lengthOfInput(run: ActiveRun, messages: readonly Message[]): number {
  const { firstMessage, inputLength } = run.progress;
  return messages[0]?.id === firstMessage ? inputLength : 0;
}

function frozenList<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? none : Object.freeze([...list]);
}

const none: readonly never[] = Object.freeze([]);

/** The failures so far. */
function errorsOf(run: ActiveRun): readonly ShallotError[] {
  return frozenList(run.errors);
}

/** What the run added, as far as it is still there. */
function messagesOfRun(run: ActiveRun): readonly Message[] {
  const { session, progress } = run;
  const { firstMessage, firstIndex } = progress;
  // It stands where it was put, unless messages before it were replaced.
  const isThere =
    firstIndex !== undefined && firstMessage !== undefined && session.at(firstIndex)?.id === firstMessage;
  const known = isThere ? firstIndex : session.findLast(({ id }) => id === firstMessage);
  if (known !== -1) return Object.freeze(session.messagesFrom(known));
  // The first one was replaced, by a summary for instance: those that bear the run's mark are left.
  return Object.freeze(session.messages.filter((message) => message.id.startsWith(`${run.id}.`)));
}

async function passAfterAgent(run: ActiveRun, draft: RunResult): Promise<RunResult> {
  const note = (error: unknown): void => {
    run.report(runError(run, error));
  };
  const spec: HookSpec<RunResult> = {
    hook: 'afterAgent',
    accept: acceptResult,
    skips: (tap) => !run.wasReached(tap.owner.id),
    failed: (error, given) => {
      note(error);
      return Object.freeze({ ...given, errors: errorsOf(run) });
    },
  };
  try {
    return await callHook(run, run.chains.afterAgent, spec, draft);
  } catch (error) {
    // Only an interceptor can make the hook itself fail.
    note(error);
    return draft;
  }
}
