import type { CallAddress } from '../../base/address.ts';
import { digestOf } from '../../base/digest-of.ts';
import { isShallotError, ShallotError } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';
import type { AnySchema, SchemaOutput } from '../../base/schema.ts';
import { asThrown, messageOf } from '../../base/thrown.ts';
import type { AgentEvent } from '../../contract/events.ts';
import { textOf, toolCallsOf } from '../../contract/messages.ts';
import type { RunResult } from '../../contract/result.ts';
import type { ToolCall } from '../../contract/tool.ts';
import type { RunUsage } from '../../contract/usage.ts';
import type { ChildOptions, ChildResult } from '../../contract/work/child.ts';
import type { Frame } from '../../hooks/frame.ts';
import type { AgentParts } from '../agent-parts.ts';
import { depthOf, type ChildEnd, type ChildTerms, type FinishedChild } from '../child-terms.ts';
import type { Listener } from '../event-stream.ts';
import { outputOf, readOutput } from '../model/output.ts';
import { regainClaim } from '../regain-claim.ts';
import type { RunParts } from '../run-parts.ts';
import { ParentCall, type ChildrenBeside } from './parent-call.ts';

/** A tool call, with its place in the step. */
export type CallPlace = Pick<ToolCall, 'id' | 'index'>;

/** The place in a tool call that begins a child. */
export interface ChildPlace {
  readonly call: CallPlace;
  /** Identifies the code within the call that begins the child. */
  readonly place: string;
  /** The ordinal among the children of this place; it is the same when the place is entered again. */
  readonly ordinal: number;
  /** The parts of the child's agent. */
  readonly parts: AgentParts;
  /** Closed to abort the child. */
  readonly frame: Frame;
}

/** The outcome of a child for the code that began it: the result, or the open questions. */
export type ChildOutcome<Output> =
  | { readonly result: ChildResult<Output> }
  | { readonly waiting: RunResult['interrupts'] };

/**
 * Runs a child until it ends or asks questions. A finished child is not run again, and an unfinished one is continued.
 * @throws `CHILD_REFUSED`, the error of a failed child
 */
export async function runChild<S extends AnySchema>(
  run: RunParts,
  children: ChildrenBeside,
  at: ChildPlace,
  options: ChildOptions<S>,
): Promise<ChildOutcome<SchemaOutput<S>>> {
  const { frame, call, parts } = at;
  const { session, progress, questions } = run.record;
  const { agent, prompt } = options;
  const parent = new ParentCall(run, children, call.id);
  const { sessionId, before } = childSession(run, parent, at, options);
  while (!session.isHeld) await regainClaim(run, frame);
  progress.children.begin(sessionId, call.id);
  const terms: ChildTerms = {
    parts,
    session: {
      id: sessionId,
      isKnown: options.sessionId !== undefined || (before !== undefined && before.modelCalls > 0),
    },
    task: { input: prompt, output: options.output ?? agent.output, context: run.terms.context },
    caller: {
      listener: withProgress(
        run,
        parent.call,
        agent.name,
        listenerFor(run, parent.call, sessionId, agent.name),
      ),
      frame,
    },
    parent,
    given: questions.given,
  };
  let end: ChildEnd;
  try {
    end = await frame.wait(children.runs.runChild(terms));
  } catch (thrown) {
    if (frame.closed) throw frame.reason;
    throw failureOf(run, terms, thrown);
  }
  // The schema of the options has validated the output.
  return outcomeOf(terms, end) as ChildOutcome<SchemaOutput<S>> | Promise<ChildOutcome<SchemaOutput<S>>>;
}

/**
 * Notes the usage of a child that is no longer working, and returns its outcome. Returns a promise only if the output has
 * to be read from a stored answer.
 */
export function outcomeOf(
  { parent, session: { id: sessionId }, task: { output } }: ChildTerms,
  end: ChildEnd,
): ChildOutcome<unknown> | Promise<ChildOutcome<unknown>> {
  const isAsking = 'result' in end && end.result.outcome === 'interrupted';
  const { usage } = 'finished' in end ? end.finished : 'waiting' in end ? end : end.result;
  parent.noteUsage(sessionId, usage, !('waiting' in end) && !isAsking);
  if ('waiting' in end) return end;
  if ('result' in end)
    return isAsking
      ? { waiting: end.result.interrupts }
      : { result: resultOf(sessionId, end.result, end.result.output) };
  const { finished } = end;
  const schema = outputOf(output);
  // Only an answer of the model has a finish reason.
  if (schema === undefined || finished.finish === undefined)
    return { result: resultOf(sessionId, finished, undefined) };
  return readOutput(schema.validate, finished.text).then((read) => ({
    result: resultOf(sessionId, finished, read.ok ? read.value : undefined),
  }));
}

/**
 * Returns the id of a child's session, and the child's usage if the run has already begun it. @throws `CHILD_REFUSED`
 * beyond the limits
 */
export function childSession(
  { record }: RunParts,
  parent: ParentCall,
  at: Pick<ChildPlace, 'call' | 'place' | 'ordinal'>,
  { agent, sessionId, maxDepth = 3, maxChildren = 100 }: Omit<ChildOptions, 'output'>,
): { readonly sessionId: string; readonly before: RunUsage | undefined } {
  const id = sessionId ?? childId(record.digest, parent.call, at);
  if (depthOf(parent.call) > maxDepth)
    throw refused(
      agent.name,
      `the tree of runs is ${maxDepth} deep already; do the task without another agent`,
    );
  const { children } = record.progress;
  const before = children.usageOf(id);
  if (before === undefined && children.begun >= maxChildren)
    throw refused(
      agent.name,
      `this run has begun ${maxChildren} children already; do the task without another`,
    );
  return { sessionId: id, before };
}

/** Returns the id of the session that a place in a call begins: the same again when the call is executed again. */
function childId(
  digest: string,
  { step }: CallAddress,
  { call: { index }, place, ordinal }: Pick<ChildPlace, 'call' | 'place' | 'ordinal'>,
): string {
  const id = `child_${digest}-${step}-${index + 1}-${ordinal}`;
  return place === 'tool' ? id : `${id}-${digestOf(place)}`;
}

/** Returns true for an error of the store, which the child's work cannot have caused. */
function isOfStore(error: unknown): error is ShallotError {
  return isShallotError(error) && error.code.startsWith('STORE_');
}

/**
 * Returns the error of a failed attempt for the code that began the child, and notes the usage of the attempt. An error
 * of the store fails the run around the child. If the child ended because that run is stopping, the run is aborted.
 */
function failureOf(run: RunParts, terms: ChildTerms, thrown: unknown): ShallotError {
  const { life } = run;
  const failed = noteFailed(run, terms, thrown);
  if (isStopped(failed, terms)) life.abort(new Error('it was stopped while a child was running'));
  return life.stopped ?? failed;
}

/**
 * Returns true for the error of a child that ended only because the run around it is stopping. The child can be
 * continued.
 */
export function isStopped({ code }: ShallotError, { parent }: ChildTerms): boolean {
  return code === 'RUN_ABORTED' && parent.isStopping;
}

/**
 * Notes the usage of a failed attempt, and returns its error. An error of the store fails the run around the child,
 * because the child's work did not cause it.
 */
export function noteFailed(
  run: RunParts,
  { parent, parts, session: { id: sessionId } }: ChildTerms,
  thrown: unknown,
): ShallotError {
  const error: unknown = asThrown(thrown);
  const known = isShallotError(error) ? error : undefined;
  if (known?.result !== undefined) parent.noteUsage(sessionId, known.result.usage);
  const conflict = [error, known?.cause].find(isOfStore);
  if (conflict !== undefined) {
    const { code, message, retryAt } = conflict;
    const failed = new ShallotError(code, { message, retryAt, cause: error, transient: true });
    run.life.fail(failed);
    return failed;
  }
  const { code = 'PLUGIN_FAILED', transient = false, retryAt } = known ?? {};
  const message = `The child agent "${parts.name}" did not finish: ${messageOf(error)}`;
  return new ShallotError(code, { message, cause: error, transient, retryAt, address: known?.address });
}

/** Returns the result of a child for the code that began it. */
function resultOf(
  sessionId: string,
  { text, stopReason, finish, usage, steps }: Omit<FinishedChild, 'finish'> & Partial<FinishedChild>,
  output: unknown,
): ChildResult {
  return Object.freeze({ sessionId, text, output, stopReason, finish, usage, steps });
}

/** Returns the listener for the events of a child, which it emits as events of the run around it. */
export function listenerFor(
  { signs }: RunParts,
  call: CallAddress,
  sessionId: string,
  agent: string,
): Listener | undefined {
  const { listener } = signs;
  if (listener === undefined) return undefined;
  const { callId } = call;
  return (event: AgentEvent) => listener({ type: 'child', callId, sessionId, agent, address: call, event });
}

/**
 * Returns a listener that also emits the child's activity as progress of its call, for consumers that ignore child
 * events.
 */
function withProgress(
  { signs }: RunParts,
  { callId, step }: CallAddress,
  agent: string,
  listener: Listener | undefined,
): Listener | undefined {
  if (listener === undefined) return undefined;
  return async (event: AgentEvent) => {
    await listener(event);
    const data = activityIn(event);
    if (data !== undefined)
      await signs.listener?.({ type: 'tool-progress', step, callId, data: `${agent}: ${data}` });
  };
}

/**
 * Returns the child's activity: the tool that it calls, or the text that it writes before its calls. Undefined for any
 * other event.
 */
function activityIn(event: AgentEvent): string | undefined {
  if (event.type === 'tool-start') return event.title ?? event.name;
  if (event.type !== 'message' || toolCallsOf(event.message).length === 0) return undefined;
  const text = textOf(event.message).trim();
  return text === '' ? undefined : text.slice(0, maxActivity);
}

/** The maximum number of characters of a child's text to show as progress. */
const maxActivity = 500;

/** @throws `OPTION_INVALID` */
export function checkChildOptions(options: unknown): void {
  const { agent, prompt } = isObject(options) ? options : {};
  const name = isObject(agent) ? agent['name'] : undefined;
  if (typeof name === 'string' && name.trim() !== '' && prompt !== undefined) return;
  throw new ShallotError('OPTION_INVALID', {
    message:
      'A child run takes an agent with a name, and a prompt: child({ agent: { name: "reader" }, prompt: "…" }).',
  });
}

/** Returns the error for a child that is not begun or not continued. */
export function refused(agent: string, why: string): ShallotError {
  return new ShallotError('CHILD_REFUSED', { message: `The child agent "${agent}" was not begun: ${why}.` });
}
