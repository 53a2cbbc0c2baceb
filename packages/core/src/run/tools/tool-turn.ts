import type { Failure } from '../../base/attempt.ts';
import { ShallotError } from '../../base/errors.ts';
import { asThrown, messageOf } from '../../base/thrown.ts';
import { isInterrupt, type InterruptSignal } from '../../contract/interrupt-signal.ts';
import { textOf, toolCallsOf, type AssistantMessage, type ToolMessage } from '../../contract/messages.ts';
import type { JournalEntry } from '../../contract/store.ts';
import type { Tool, ToolCall, ToolResult } from '../../contract/tool.ts';
import { finalKey } from '../../sessions/content/journal-keys.ts';
import { unanswered } from '../ask.ts';
import type { BackgroundChildren } from '../children/background-children.ts';
import { takeForCalls } from '../input/take-for-calls.ts';
import { resultOfOpenCall } from '../open-calls.ts';
import { attend, heed, ring } from '../parts/bell.ts';
import type { RunParts } from '../run-parts.ts';
import { ToolOnionCall } from './tool-call.ts';

export interface ToolTurn {
  /** The results, in call order. */
  readonly results: readonly ToolMessage[];
  /** The result of a `returnDirectly` tool, which becomes the answer of the run. */
  readonly returned: ToolMessage | undefined;
  /** The first result of a failed tool, if `toolErrors` is `throw`. */
  readonly failed: Finished | undefined;
}

/** The result of a call: the stored message, and the result that the layers returned. */
export interface Finished {
  readonly message: ToolMessage;
  readonly result?: ToolResult;
  /** True if the tool threw in an earlier process, and only the message was journalled. */
  readonly failed?: boolean;
}

/** Executes the tool calls of a model turn, and collects their results. */
export class CallsInProgress {
  readonly #run: RunParts;
  readonly #children: BackgroundChildren;
  readonly #calls: readonly ToolCall[];
  readonly #offered: readonly Tool[];
  readonly #isResumed: boolean;
  readonly #finished: (Finished | undefined)[];
  #open: number;
  /** The calls that have not begun or that were answered, in the order of execution. */
  readonly #queue: ToolCall[];
  /** The promises, not awaited yet, of calls in progress and of lanes, each of which executes several calls in turn. */
  readonly #working: Promise<void>[] = [];
  #lanes = 0;
  /** The calls that wait for answers. */
  readonly #waiting = new Map<ToolCall, InterruptSignal>();
  /** The calls that continue after an answer. Like the calls of a resumed run, they were entered before. */
  #answered: Set<ToolCall> | undefined;
  /** The error that fails the run; calls that have not started are not executed then. */
  #failure: Failure | undefined;
  /** True once a message takes the place of the calls that have not begun or that wait. */
  #makesWay = false;
  #looking: Promise<void> | undefined;

  /** `isResumed`: calls answered before the crash or interrupt keep their journalled results. */
  constructor(
    run: RunParts,
    children: BackgroundChildren,
    message: AssistantMessage,
    offered: readonly Tool[],
    isResumed: boolean,
  ) {
    this.#run = run;
    this.#children = children;
    this.#isResumed = isResumed;
    this.#calls = toolCallsOf(message).map(({ id, name, input, raw }, index): ToolCall =>
      Object.freeze(raw === undefined ? { id, name, input, index } : { id, name, input, index, raw }),
    );
    this.#offered = offered;
    this.#finished = this.#calls.map(() => undefined);
    this.#open = this.#calls.length;
    this.#queue = [...this.#calls];
    attend(run.life.bell, () => void this.#look());
  }

  /**
   * Begins queued calls, including those that were answered meanwhile, at most `toolConcurrency` in parallel. Returns a
   * promise to await before `next` is called again; undefined once all calls are over or wait. The promise never rejects.
   */
  next(): Promise<unknown> | undefined {
    if (this.#looking !== undefined) return this.#looking;
    this.#begin();
    const [only, ...others] = this.#working.splice(0);
    if (only === undefined) attend(this.#run.life.bell, undefined);
    return others.length === 0 ? only : Promise.all([only, ...others]);
  }

  /** Begins as many queued calls as `toolConcurrency` allows. */
  #begin(): void {
    // A single call needs no lane, which would cost another promise.
    if (this.#calls.length === 1)
      this.#working.push(...this.#queue.splice(0).map((call) => this.#executeCall(call)));
    const room = this.#run.terms.parts.toolConcurrency - this.#lanes;
    for (let free = Math.min(room, this.#queue.length); free > 0; free -= 1)
      this.#working.push(this.#executeQueued());
  }

  async #executeQueued(): Promise<void> {
    this.#lanes += 1;
    for (let call = this.#queue.shift(); call !== undefined; call = this.#queue.shift())
      await this.#executeCall(call);
    this.#lanes -= 1;
  }

  /** Takes news for the calls from the inbox. One pass serves all callers that overlap. Never rejects. */
  #look(): Promise<void> {
    this.#looking ??= this.#takeNews().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #takeNews(): Promise<void> {
    const run = this.#run;
    try {
      while (heed(run.life.bell) && run.record.verdict.ending === undefined) {
        const waiting = new Set([...this.#waiting.keys()].map(({ id }) => id));
        const { answered, hasInstead } = await takeForCalls(run, waiting);
        if (hasInstead) this.#makeWay();
        else this.#goOn(answered);
      }
    } catch (thrown) {
      this.#fail(asThrown(thrown));
    }
  }

  /** Enters the answered calls again. */
  #goOn(answered: ReadonlySet<string>): void {
    for (const call of this.#waiting.keys()) {
      if (!answered.has(call.id)) continue;
      this.#waiting.delete(call);
      (this.#answered ??= new Set()).add(call);
      this.#queue.push(call);
    }
    this.#begin();
  }

  /** Closes the calls that have not begun or that wait, since a message takes their place. */
  #makeWay(): void {
    this.#makesWay = true;
    for (const call of [...this.#queue.splice(0), ...this.#waiting.keys()]) this.#withdraw(call);
    this.#waiting.clear();
  }

  #withdraw(call: ToolCall): void {
    this.#run.record.questions.withdraw(call.id);
    this.#closeCall(call, 'a new message came');
  }

  /** Returns the results. Throws the error that fails the run, or the first interrupt if calls are still open. */
  outcome(): ToolTurn {
    const run = this.#run;
    if (this.#failure !== undefined) throw this.#failure.error;
    run.life.throwIfStopped();
    const failed = run.terms.parts.toolErrors === 'throw' ? this.#firstFailure() : undefined;
    if (run.record.verdict.ending !== undefined) this.#answerOpen('the run was ended');
    else if (failed !== undefined) this.#answerOpen('the run failed');
    const [waiting] = this.#waiting.values();
    if (waiting !== undefined && this.#open > 0) throw waiting;
    return { results: this.#results(), returned: this.#firstDirect(), failed };
  }

  /** Executes one call, or notes its interrupt or error. Never rejects. */
  async #executeCall(call: ToolCall): Promise<void> {
    const run = this.#run;
    const wasEntered = this.#isResumed || this.#answered?.has(call) === true;
    const known = this.#isResumed ? run.record.session.journalled(finalKey(call.id)) : undefined;
    if (known?.type === 'final') return this.#restore(call.index, known);
    // Calls that a stopped run did not start are left to its resume.
    if (run.life.stopped !== undefined || this.#failure !== undefined) return undefined;
    if (run.record.verdict.ending !== undefined && !this.#hasResult(call))
      return this.#closeCall(call, 'the run was ended');
    const toolCall = new ToolOnionCall(run, this.#children, call, this.#offered, wasEntered);
    try {
      const question = unanswered(run.record, run.signs, call.id);
      // A resumed call whose question is still open asks it again, and is not entered.
      if (question !== undefined) throw question;
      const result = await toolCall.settle();
      toolCall.throwIfOpen();
      run.record.questions.settle(call.id);
      this.#finish(call, { message: toolCall.toMessage(result), result });
    } catch (thrown) {
      this.#noteFailure(call, toolCall, thrown);
    } finally {
      toolCall.leave();
    }
  }

  /** Returns true if the call was executed before the resume. Its layers must still process the result. */
  #hasResult(call: ToolCall): boolean {
    return (
      (this.#isResumed || this.#answered?.has(call) === true) &&
      this.#run.record.session.lastExecution(call.id)?.type === 'raw'
    );
  }

  /** Notes the interrupt or the failure of a call. A layer that caught an interrupt or an abort does not hide it. */
  #noteFailure(call: ToolCall, toolCall: ToolOnionCall, thrown: unknown): void {
    const error = toolCall.raised ?? thrown;
    if (isInterrupt(error)) {
      this.#run.record.questions.settle(call.id);
      if (this.#makesWay) return this.#withdraw(call);
      this.#waiting.set(call, error);
      // The answer may have come while the layers of the call unwound.
      ring(this.#run.life.bell);
      return;
    }
    this.#fail(error);
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#run.life.closeFrames(() => error);
  }

  #restore(index: number, { message, failed }: JournalEntry & { type: 'final' }): void {
    this.#finished[index] = { message, failed: failed === true };
    this.#open -= 1;
  }

  /**
   * Notes the result of a call and journals it, except for the last one: the caller commits all results right after it.
   */
  #finish(call: ToolCall, { message, ...rest }: Finished): void {
    const finished = { ...rest, message: this.#run.record.questions.noteIn(message, call.id) };
    this.#finished[call.index] = finished;
    this.#open -= 1;
    this.#run.record.progress.settleChildren(call.id);
    void this.#run.signs.listener?.({
      type: 'tool-end',
      step: this.#run.record.progress.step,
      message: finished.message,
    });
    if (this.#open === 0) return;
    const { record } = this.#run;
    const { session } = record;
    const final: JournalEntry = {
      type: 'final',
      message: finished.message,
      ...(isFailure(finished) ? { failed: true } : {}),
    };
    const journal = [...session.clearedCall(call.id), { key: finalKey(call.id), entry: final }];
    session.commitSoon({ journal });
    record.recordSoon();
  }

  /**
   * Gives a call a result without executing it now: the journalled result of an earlier execution, else a result with the
   * reason.
   */
  #closeCall(call: ToolCall, why: string): void {
    const { session, newMessageId } = this.#run.record;
    const message = resultOfOpenCall(session, { callId: call.id, name: call.name }, why, newMessageId);
    this.#finish(call, { message });
  }

  #answerOpen(why: string): void {
    for (const call of this.#calls) {
      if (this.#finished[call.index] === undefined) this.#closeCall(call, why);
    }
    this.#run.record.questions.withdraw();
  }

  #results(): readonly ToolMessage[] {
    const results: ToolMessage[] = [];
    for (const finished of this.#finished) if (finished !== undefined) results.push(finished.message);
    return results;
  }

  /** Returns the first successful result of a `returnDirectly` tool, in call order. */
  #firstDirect(): ToolMessage | undefined {
    const direct = this.#offered.filter((tool) => tool.returnDirectly);
    if (direct.length === 0) return undefined;
    const first = this.#calls.find(
      ({ name, index }) =>
        this.#finished[index]?.message.isError !== true && direct.some((tool) => tool.name === name),
    );
    return first && this.#finished[first.index]?.message;
  }

  /** Returns the first result of a tool that threw. Denials and error results made by layers do not count. */
  #firstFailure(): Finished | undefined {
    return this.#finished.find((finished) => finished !== undefined && isFailure(finished));
  }
}

function isFailure({ result, failed }: Finished): boolean {
  return failed === true || (result?.isError === true && 'error' in result);
}

/** Returns the error of a run that a failing tool ended. */
export function toolFailedError({ message, result }: Finished): ShallotError {
  // After a resume only the text of the failure is left.
  if (result === undefined) return new ShallotError('TOOL_FAILED', { message: textOf(message) });
  return new ShallotError('TOOL_FAILED', {
    message: `The tool ${message.name} failed: ${messageOf(result.error)}`,
    cause: result.error,
  });
}
