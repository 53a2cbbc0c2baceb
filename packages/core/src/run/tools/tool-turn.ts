import type { Failure } from '../../base/attempt.ts';
import { ShallotError } from '../../base/errors.ts';
import { messageOf } from '../../base/thrown.ts';
import { isInterrupt, type InterruptSignal } from '../../contract/interrupt-signal.ts';
import { textOf, toolCallsOf, type AssistantMessage, type ToolMessage } from '../../contract/messages.ts';
import type { JournalEntry } from '../../contract/store.ts';
import type { Tool, ToolCall, ToolResult } from '../../contract/tool.ts';
import { finalKey } from '../../sessions/journal-keys.ts';
import type { ActiveRun } from '../active-run.ts';
import { unanswered } from '../ask.ts';
import { resultOfOpenCall } from '../open-calls.ts';
import { ToolCallPassage } from './tool-call.ts';

/** What the tool calls of one step came to. */
export interface ToolTurn {
  /** In call order. */
  readonly results: readonly ToolMessage[];
  /** The result that ends the run as its answer. */
  readonly returned: ToolMessage | undefined;
  /** The first result of a tool that failed, where that ends the run. */
  readonly failed: Finished | undefined;
}

/** The result of a call, as it is kept and as the layers gave it. */
export interface Finished {
  readonly message: ToolMessage;
  readonly result?: ToolResult;
  /** That the tool threw, when that was journalled before a crash or an interrupt. */
  readonly failed?: boolean;
}

/** The calls of a model's turn, and their results as they come in. */
export class CallsInProgress {
  readonly #run: ActiveRun;
  readonly #calls: readonly ToolCall[];
  readonly #offered: readonly Tool[];
  readonly #isResumed: boolean;
  readonly #finished: (Finished | undefined)[];
  #open: number;
  /** What makes the run fail: the other calls are for nothing then. */
  #failure: Failure | undefined;
  #waiting: InterruptSignal | undefined;

  /** `isResumed`: some may have been answered already, before a crash or an interrupt. Those are not touched. */
  constructor(run: ActiveRun, message: AssistantMessage, offered: readonly Tool[], isResumed: boolean) {
    this.#run = run;
    this.#isResumed = isResumed;
    this.#calls = toolCallsOf(message).map(({ id, name, input, raw }, index): ToolCall =>
      Object.freeze(raw === undefined ? { id, name, input, index } : { id, name, input, index, raw }),
    );
    this.#offered = offered;
    this.#finished = this.#calls.map(() => undefined);
    this.#open = this.#calls.length;
  }

  /** Executes them, at most `toolConcurrency` at once. Never rejects. */
  work(): Promise<unknown> {
    const [only, second] = this.#calls;
    if (only !== undefined && second === undefined) return this.#work(only);
    const rest = this.#calls.values();
    const worker = async (): Promise<void> => {
      for (const call of rest) await this.#work(call);
    };
    const workers = Math.min(this.#run.parts.toolConcurrency, this.#calls.length);
    return Promise.all(Array.from({ length: workers }, worker));
  }

  /** What they came to. Throws what makes the run fail, and the first interrupt when calls still wait. */
  outcome(): ToolTurn {
    const run = this.#run;
    if (this.#failure !== undefined) throw this.#failure.error;
    run.life.throwIfStopped();
    const failed = run.parts.toolErrors === 'throw' ? this.#firstFailure() : undefined;
    if (run.verdict.ending !== undefined) this.#answerOpen('the run was ended');
    else if (failed !== undefined) this.#answerOpen('the run failed');
    if (this.#waiting !== undefined && this.#open > 0) throw this.#waiting;
    return { results: this.#results(), returned: this.#firstDirect(), failed };
  }

  /** Takes a call to its result, or to what it waits for. Never rejects. */
  async #work(call: ToolCall): Promise<void> {
    const run = this.#run;
    const known = this.#isResumed ? run.session.journalled(finalKey(call.id)) : undefined;
    if (known?.type === 'final') return this.#known(call.index, known);
    // What a run that is cut short has not come to is left to whoever takes it up.
    if (run.life.stopped !== undefined || this.#failure !== undefined) return undefined;
    if (run.verdict.ending !== undefined) return this.#refuse(call, 'the run was ended');
    const passage = new ToolCallPassage(run, call, this.#offered, this.#isResumed);
    try {
      const waits = unanswered(run, call.id);
      if (waits !== undefined) throw waits;
      const result = await passage.settle();
      passage.throwIfOpen();
      run.questions.settle(call.id);
      this.#finish(call, { message: passage.toMessage(result), result });
    } catch (thrown) {
      this.#failed(call, passage, thrown);
    } finally {
      passage.leave();
    }
  }

  /** An interrupt is raised again that a layer has swallowed. */
  #failed(call: ToolCall, passage: ToolCallPassage, thrown: unknown): void {
    const error = passage.raised ?? thrown;
    if (isInterrupt(error)) {
      this.#run.questions.settle(call.id);
      this.#waiting ??= error;
      return;
    }
    this.#failure ??= { error };
    this.#run.life.closeFrames(() => error);
  }

  #known(index: number, { message, failed }: JournalEntry & { type: 'final' }): void {
    this.#finished[index] = { message, failed: failed === true };
    this.#open -= 1;
  }

  /** Keeps a call's result. The last one is not journalled: all are about to be appended. */
  #finish(call: ToolCall, finished: Finished): void {
    this.#finished[call.index] = finished;
    this.#open -= 1;
    void this.#run.listener?.({ type: 'tool-end', step: this.#run.progress.step, message: finished.message });
    if (this.#open === 0) return;
    const { session } = this.#run;
    const final: JournalEntry = {
      type: 'final',
      message: finished.message,
      ...(isFailure(finished) ? { failed: true } : {}),
    };
    const journal = [...session.clearedCall(call.id), { key: finalKey(call.id), entry: final }];
    session.commitSoon({ journal, run: this.#run.toRecord() });
  }

  #refuse(call: ToolCall, why: string): void {
    const { session, newMessageId } = this.#run;
    const message = resultOfOpenCall(session, { callId: call.id, name: call.name }, why, newMessageId);
    this.#finish(call, { message });
  }

  #answerOpen(why: string): void {
    for (const call of this.#calls) {
      if (this.#finished[call.index] === undefined) this.#refuse(call, why);
    }
    this.#run.questions.withdraw();
  }

  /** In call order. */
  #results(): readonly ToolMessage[] {
    const results: ToolMessage[] = [];
    for (const finished of this.#finished) if (finished !== undefined) results.push(finished.message);
    return results;
  }

  /** The first result that ends the run as its answer. */
  #firstDirect(): ToolMessage | undefined {
    const direct = this.#offered.filter((tool) => tool.returnDirectly);
    if (direct.length === 0) return undefined;
    const first = this.#calls.find(
      ({ name, index }) =>
        this.#finished[index]?.message.isError !== true && direct.some((tool) => tool.name === name),
    );
    return first && this.#finished[first.index]?.message;
  }

  /** The first call whose tool failed: not one that was denied, or answered by a layer. */
  #firstFailure(): Finished | undefined {
    return this.#finished.find((finished) => finished !== undefined && isFailure(finished));
  }
}

function isFailure({ result, failed }: Finished): boolean {
  return failed === true || (result?.isError === true && 'error' in result);
}

/** What a run is rejected with that a failing tool ends. */
export function toolFailed({ message, result }: Finished): ShallotError {
  // Of a failure before a crash only the text is left.
  if (result === undefined) return new ShallotError('TOOL_FAILED', { message: textOf(message) });
  return new ShallotError('TOOL_FAILED', {
    message: `The tool ${message.name} failed: ${messageOf(result.error)}`,
    cause: result.error,
  });
}
