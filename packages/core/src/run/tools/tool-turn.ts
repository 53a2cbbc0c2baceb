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

/**
 * Executes the calls of a model's turn, several at once, and gives their results. Calls that were already answered before
 * a crash or an interrupt are not touched; `isResumed` says that there may be such. Throws the first interrupt when calls still wait.
 */
export async function executeCalls(
  run: ActiveRun,
  message: AssistantMessage,
  offered: readonly Tool[],
  isResumed: boolean,
): Promise<ToolTurn> {
  const calls = toolCallsOf(message).map(({ id, name, input, raw }, index): ToolCall =>
    Object.freeze(raw === undefined ? { id, name, input, index } : { id, name, input, index, raw }),
  );
  const turn = new CallsInProgress(run, calls);
  const failures: unknown[] = [];
  let waiting: InterruptSignal | undefined;

  const work = async (call: ToolCall): Promise<void> => {
    const known = run.session.journalled(finalKey(call.id));
    if (known?.type === 'final') return turn.known(call.index, known);
    // What a run that is cut short has not come to is left to whoever takes it up.
    if (run.life.stopped !== undefined || failures.length > 0) return undefined;
    try {
      if (run.verdict.ending !== undefined) return turn.refuse(call, 'the run was ended');
      const waits = unanswered(run, call.id);
      if (waits !== undefined) throw waits;
      const passage = new ToolCallPassage(run, call, offered, isResumed);
      const result = await passage.settle();
      run.questions.settle(call.id);
      turn.finish(call, { message: passage.toMessage(result), result });
    } catch (error) {
      if (isInterrupt(error)) {
        run.questions.settle(call.id);
        waiting ??= error;
      } else {
        failures.push(error);
        // The run has failed: what the other calls are doing is for nothing.
        run.life.closeFrames(() => error);
      }
    }
  };
  await inParallel(calls, run.parts.toolConcurrency, work);

  if (failures.length > 0) throw failures[0];
  run.life.throwIfStopped();
  const failed = run.parts.toolErrors === 'throw' ? turn.firstFailure() : undefined;
  if (run.verdict.ending !== undefined) turn.answerOpen(calls, 'the run was ended');
  else if (failed !== undefined) turn.answerOpen(calls, 'the run failed');
  if (waiting !== undefined && turn.isOpen) throw waiting;
  const returnsDirectly = (call: ToolCall): boolean =>
    offered.some((tool) => tool.returnDirectly && tool.name === call.name);
  const direct = calls.find((call) => turn.succeeded(call.index) && returnsDirectly(call));
  const returned = direct === undefined ? undefined : turn.messageAt(direct.index);
  return { results: turn.results, returned, failed };
}

/** The result of a call, as it is kept and as the layers gave it. */
export interface Finished {
  readonly message: ToolMessage;
  readonly result?: ToolResult;
  /** That the tool threw, when that was journalled before a crash or an interrupt. */
  readonly failed?: boolean;
}

interface CallId {
  readonly id: string;
  readonly name: string;
  readonly index: number;
}

/** The results of a step's calls, as they come in. */
class CallsInProgress {
  readonly #run: ActiveRun;
  readonly #finished: (Finished | undefined)[];
  #open: number;

  constructor(run: ActiveRun, calls: readonly CallId[]) {
    this.#run = run;
    this.#finished = calls.map(() => undefined);
    this.#open = calls.length;
  }

  get isOpen(): boolean {
    return this.#open > 0;
  }

  known(index: number, { message, failed }: JournalEntry & { type: 'final' }): void {
    this.#finished[index] = { message, failed: failed === true };
    this.#open -= 1;
  }

  /** Keeps a call's result. The last one is not journalled: all are about to be appended. */
  finish(call: CallId, finished: Finished): void {
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
    const journal = { ...session.clearedCall(call.id), [finalKey(call.id)]: final };
    session.commitSoon({ journal, run: this.#run.toRecord() });
  }

  refuse(call: CallId, why: string): void {
    const { session, newMessageId } = this.#run;
    const message = resultOfOpenCall(session, { callId: call.id, name: call.name }, why, newMessageId);
    this.finish(call, { message });
  }

  answerOpen(calls: readonly CallId[], why: string): void {
    for (const call of calls) {
      if (this.#finished[call.index] === undefined) this.refuse(call, why);
    }
    this.#run.questions.withdraw();
  }

  get results(): readonly ToolMessage[] {
    return this.#finished.flatMap((finished) => finished?.message ?? []);
  }

  succeeded(index: number): boolean {
    return this.#finished[index]?.message.isError !== true;
  }

  messageAt(index: number): ToolMessage | undefined {
    return this.#finished[index]?.message;
  }

  /** The first call whose tool failed: not one that was denied, or answered by a layer. */
  firstFailure(): Finished | undefined {
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

/** Works through a list, at most `limit` at once. `work` must not reject. */
function inParallel<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<unknown> {
  if (items.length === 1) return work(items[0] as T);
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  return Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
