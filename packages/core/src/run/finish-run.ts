import type { Failure } from '../base/attempt.ts';
import { isShallotError, type ShallotError } from '../base/errors.ts';
import { isInterrupt } from '../contract/interrupt-signal.ts';
import { textOf, type Message } from '../contract/messages.ts';
import { responseFacts } from '../contract/response-facts.ts';
import type { Outcome, RunResult, StopReason } from '../contract/result.ts';
import { messagesIn, type InboxEntry } from '../contract/work/inbox.ts';
import { sourcesOf } from '../sessions/content/sources-of.ts';
import { removeFilesWhenForgotten } from '../sessions/deletion/remove-files-when-forgotten.ts';
import { tidying } from '../sessions/stores/forgetful-store.ts';
import { isResumable } from '../sessions/stores/resumable.ts';
import type { ActiveRun } from './active-run.ts';
import { addressOf } from './address-of.ts';
import { deletionPartsOf } from './agent-parts.ts';
import { callHook, type HookSpec } from './hook-caller.ts';
import { runError } from './run-error.ts';
import { warnOfShortfall } from './shortfall.ts';
import { acceptResult } from './tools/accept-result.ts';

/** The outcome of the loop. */
interface End {
  readonly outcome: Outcome;
  readonly stopReason: StopReason;
  readonly error: ShallotError | undefined;
}

/**
 * Runs `afterAgent` and commits the end. A run that stopped before its end keeps its position and open calls in the
 * record, so that a resume can continue there.
 */
export function finishRun(run: ActiveRun, failure: Failure | undefined): RunResult | Promise<RunResult> {
  const end = endOf(run, failure);
  if (end.error !== undefined) end.error.address ??= addressOf(run.terms, run.record);
  run.life.decide();
  if (run.record.progress.position.at === 'end') {
    run.record.questions.withdraw();
    run.record.questions.forget();
  } else if (end.outcome !== 'interrupted') {
    run.record.progress.stopFor(end.stopReason);
  }
  if (end.outcome === 'completed') warnOfShortfall(run, end.stopReason);
  const draft = resultOf(run, end);
  if (run.terms.chains.afterAgent.isIdle) return commitEnd(run, end, draft);
  return passAfterAgent(run, draft).then((result) => commitEnd(run, end, result));
}

function commitEnd(run: ActiveRun, end: End, result: RunResult): RunResult | Promise<RunResult> {
  const lost = run.terms.parts.logLosses.report();
  if (lost !== undefined) run.signs.warn('LOG_LOST', lost);
  // From here on, calls that plugins left running can no longer write to the session.
  run.life.end();
  const status = run.life.isHandedBack && end.outcome === 'aborted' ? 'running' : end.outcome;
  inheritForgotten(run);
  const record = run.record.toRecord(status, end.error);
  // A resumable run keeps its journal: `once` in `afterAgent` must not run its functions again.
  const journal = isResumable(record) ? {} : run.record.session.clearedJournal();
  const { session } = run.record;
  // While the run waits for answers, the messages sent to it stay in the inbox for it.
  const unread = end.outcome === 'interrupted' ? none : session.unreadInMemory;
  const released = session.release({ ...journal, run: record });
  if (released === undefined) {
    const tidied = tidying(run.terms.parts.store);
    const whole = (): RunResult => withUnread(withErrors(run, result), unread);
    return tidied === undefined ? whole() : tidied.then(whole);
  }
  return released.then(
    async () => {
      const left = unread ?? (await readUnread(run));
      return withUnread(withErrors(run, result), left);
    },
    (error: unknown) => {
      const failed = failedBy(run, end, error);
      // If the commit failed, the run failed: the answer is not part of the result.
      return withErrors(run, failed === end ? result : resultOf(run, failed));
    },
  );
}

/** Returns the entries that were sent before the end was committed. An error of the store no longer changes the outcome. */
async function readUnread({ record, signs }: ActiveRun): Promise<readonly InboxEntry[]> {
  try {
    return await record.session.unread();
  } catch (error) {
    if (isShallotError(error)) signs.note(error);
    return none;
  }
}

function withUnread(result: RunResult, unread: readonly InboxEntry[] = none): RunResult {
  const messages = messagesIn(unread).map(({ message }) => message);
  return messages.length === 0 ? result : Object.freeze({ ...result, unread: Object.freeze(messages) });
}

/** Registers the files of plugins to be deleted when the store forgets the session of this run. */
function inheritForgotten({ terms, record: { session } }: ActiveRun): void {
  const { id, parts, context } = terms;
  if (session.about === undefined && !parts.host.handlesDeletions) return;
  const identity = { id, sessionId: session.id, agent: parts.name, context };
  removeFilesWhenForgotten(parts.store, session, () => deletionPartsOf(parts, identity), parts.log);
}

/** Returns the result with the errors that were noted after it was made. */
function withErrors(run: ActiveRun, result: RunResult): RunResult {
  if (result.errors.length === run.signs.errors.length) return result;
  return Object.freeze({ ...result, errors: errorsOf(run) });
}

/** Returns the end of the run. Precedence: abort, failure, `end`, interrupt. */
function endOf(run: ActiveRun, failure: Failure | undefined): End {
  if (run.life.aborted !== undefined)
    return { outcome: 'aborted', stopReason: 'abort', error: run.life.aborted };
  if (run.life.stopped !== undefined) return failedEnd(run, run.life.stopped);
  const isAsking = run.record.questions.open.length > 0 && isInterrupt(failure?.error);
  if (failure !== undefined && !isAsking) return failedEnd(run, failure.error);
  if (run.record.progress.stopReason !== undefined)
    return { outcome: 'completed', stopReason: run.record.progress.stopReason, error: undefined };
  return { outcome: 'interrupted', stopReason: 'interrupt', error: undefined };
}

function failedEnd(run: ActiveRun, thrown: unknown): End {
  const blame = run.signs.blames.of(thrown);
  const isModel = blame !== undefined && blame.plugin === undefined;
  return {
    outcome: 'failed',
    stopReason: isModel ? 'model-error' : 'error',
    error: runError(run.terms, run.signs, thrown),
  };
}

/** Returns the end after a later error. A failed run stays failed for its first reason. */
function failedBy(run: ActiveRun, end: End, error: unknown): End {
  if (end.outcome === 'failed') return end;
  if (isShallotError(error, 'RUN_ABORTED')) return { outcome: 'aborted', stopReason: 'abort', error };
  if (end.outcome !== 'aborted') return failedEnd(run, error);
  // A silent store rejects several commits with the same error, which is listed only once.
  if (run.signs.errors.some(({ cause }) => cause === error)) return end;
  run.signs.note(runError(run.terms, run.signs, error));
  return end;
}

function resultOf(run: ActiveRun, end: End): RunResult {
  const { output, lastWord } = run.record.verdict;
  const said = end.outcome === 'completed' ? lastWord : undefined;
  const messages = messagesOfRun(run);
  const result: { -readonly [K in keyof RunResult]: RunResult[K] } = {
    outcome: end.outcome,
    stopReason: end.stopReason,
    text: said === undefined ? '' : textOf(said.message),
    messages,
    sources: sourcesOf(messages, lengthOfInput(run, messages)),
    interrupts: frozenList(run.record.questions.of(end.outcome)),
    usage: run.record.progress.usage,
    steps: run.record.progress.step,
    sessionId: run.record.session.id,
    runId: run.terms.id,
    errors: errorsOf(run),
  };
  if (said?.finish !== undefined) result.finish = said.finish;
  const facts = responseFacts(run.record.verdict.heard);
  if (facts !== undefined) result.response = facts;
  // If the run went on after an answer, its last message may not come from the model.
  if (output !== undefined && said?.finish !== undefined) result.output = output.value;
  if (end.error !== undefined) result.error = end.error;
  return Object.freeze(result);
}

/** Returns the number of input messages at the start of `messages`, whose sources are not sources of the answer. */
function lengthOfInput(run: ActiveRun, messages: readonly Message[]): number {
  const { firstMessage, inputLength } = run.record.progress;
  return messages[0]?.id === firstMessage ? inputLength : 0;
}

function frozenList<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? none : Object.freeze([...list]);
}

const none: readonly never[] = Object.freeze([]);

function errorsOf(run: ActiveRun): readonly ShallotError[] {
  return frozenList(run.signs.errors);
}

/** Returns the messages of the run that are still in the session. */
function messagesOfRun(run: ActiveRun): readonly Message[] {
  const { session, progress } = run.record;
  const { firstMessage, firstIndex } = progress;
  // The first message is still at its index unless a layer replaced messages before it.
  const isThere =
    firstIndex !== undefined && firstMessage !== undefined && session.at(firstIndex)?.id === firstMessage;
  const known = isThere ? firstIndex : session.findLast(({ id }) => id === firstMessage);
  if (known !== -1) return Object.freeze(session.messagesFrom(known));
  // The first message was replaced, for example by a summary. The other messages of the run are recognized by their ids.
  return Object.freeze(session.messages.filter((message) => run.record.isOwnId(message.id)));
}

async function passAfterAgent(run: ActiveRun, draft: RunResult): Promise<RunResult> {
  const note = (error: unknown): void => {
    run.signs.report(runError(run.terms, run.signs, error));
  };
  const spec: HookSpec<RunResult> = {
    hook: 'afterAgent',
    accept: acceptResult,
    skips: (tap) => !wasReached(run, tap.owner.id),
    failed: (error, given) => {
      note(error);
      return Object.freeze({ ...given, errors: errorsOf(run) });
    },
  };
  try {
    return await callHook(run, run.terms.chains.afterAgent, spec, draft);
  } catch (error) {
    // Errors of taps were handled one by one; only an error of an interceptor gets here.
    note(error);
    return draft;
  }
}

/**
 * Returns true if a plugin's `afterAgent` must run: the run took its input, or the plugin's `beforeAgent` was reached,
 * or it has none.
 */
function wasReached({ plugins, record, terms }: ActiveRun, plugin: string): boolean {
  return (
    record.progress.isInputTaken ||
    plugins.wasReached(plugin) ||
    !terms.chains.beforeAgent.taps.some(({ owner }) => owner.id === plugin)
  );
}
