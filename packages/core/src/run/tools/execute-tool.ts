import { isShallotError } from '../../base/errors.ts';
import { isPromise } from '../../base/is-promise.ts';
import { isTransient } from '../../base/is-transient.ts';
import type { JsonValue } from '../../base/json.ts';
import { frozenJson } from '../../base/json/frozen-json.ts';
import { asThrown, messageOf } from '../../base/thrown.ts';
import type { JournalEntry, JournalledCall } from '../../contract/store.ts';
import { errorResult, storedResult } from '../../contract/tool-result.ts';
import type { Tool, ToolOutput, ToolResult } from '../../contract/tool.ts';
import type { Frame } from '../../hooks/frame.ts';
import { asPlugin } from '../../hooks/plugin-context.ts';
import type { Sink } from '../../hooks/sink.ts';
import { journalEntry } from '../../sessions/content/change-draft.ts';
import { hiddenCall } from '../input/hidden.ts';
import { ownerOfTool } from '../offered-tools.ts';
import { regainClaim } from '../regain-claim.ts';
import type { RunParts } from '../run-parts.ts';
import { isSameCall } from './check-call.ts';
import { ExecutionContext } from './execution-context.ts';
import type { Execution } from './execution.ts';
import { finishResult } from './finish-result.ts';
import { journalledFailure } from './journalled-failure.ts';
import { shownResult } from './shown-result.ts';
import type { ToolCallState } from './tool-call-state.ts';

/**
 * Executes a tool after committing the intent. A tool error becomes an error result. `keep` journals the result after
 * the taps on results.
 */
export async function executeTool(
  toolCall: ToolCallState,
  execution: Execution,
  keep?: typeof keepResult,
): Promise<ToolResult> {
  const { run } = toolCall;
  const {
    frame,
    approved,
    id: { key },
  } = execution;
  if (frame.closed) throw frame.reason;
  while (!run.record.session.isHeld) await regainClaim(run, frame);
  // Repeating a read or an idempotent call does no harm, so only writes need an intent. If the end of the run is decided,
  // every call needs one: a resume then executes nothing, and must not claim that a call was not executed if it has
  // begun.
  if (approved.tool.effect === 'write' || run.record.verdict.ending !== undefined) {
    const intentId = run.record.newExecutionId();
    const intent: JournalEntry = { type: 'intent', id: intentId, ...journalledCalls(toolCall, execution) };
    const committed = run.record.session.commit({
      journal: journalEntry(key, intent),
      run: run.record.toRecord(),
    });
    if (committed !== undefined) {
      await committed;
      if (frame.closed) throw frame.reason;
      while (!run.record.session.isHeld) await regainClaim(run, frame);
    }
  }
  let result: ToolResult;
  try {
    const returned = callTool(toolCall, execution);
    const output = isGenerator(returned)
      ? await drain(returned, execution.sink, frame)
      : isPromise(returned)
        ? await returned
        : returned;
    result = shownResult(run.signs, approved.tool, output);
  } catch (error) {
    result = await failedResult(toolCall, execution, error);
  }
  if (frame.closed) throw frame.reason;
  const finishing = finishResult(toolCall, approved.call, execution, result);
  if (isPromise(finishing)) {
    result = await finishing;
    if (frame.closed) throw frame.reason;
  } else result = finishing;
  keep?.(toolCall, execution, result);
  return result;
}

function callTool(toolCall: ToolCallState, execution: Execution): ReturnType<Tool['execute']> {
  const { tool, args } = execution.approved;
  const context = new ExecutionContext(toolCall, execution);
  const execute = asPlugin(
    () => pluginOf(toolCall.run, tool),
    () => tool.execute(args, context),
  );
  return execute();
}

/**
 * Returns an error result for a tool's error. Throws if the tool asked a question, the run was stopped or the frame was
 * closed.
 */
async function failedResult(
  toolCall: ToolCallState,
  { id: { key }, frame, approved }: Execution,
  error: unknown,
): Promise<ToolResult> {
  const { raised, run } = toolCall;
  if (run.life.stopped !== undefined) throw run.life.stopped;
  if (raised !== undefined && toolCall.isAsking(key)) {
    await withdrawIntent(toolCall, key);
    throw raised;
  }
  if (frame.closed) throw error;
  if (isTransient(error)) toolCall.noteUnsettled();
  const text = isShallotError(error) ? `${error.code}: ${error.message}` : messageOf(error);
  return errorResult(`The tool ${approved.tool.name} failed: ${text}`, asThrown(error));
}

/** Journals the result of an execution as the gates returned it, for layers that a resume enters again. */
export function keepResult(toolCall: ToolCallState, execution: Execution, result: ToolResult): void {
  toolCall.noteExecuted(result);
  const { session } = toolCall.run.record;
  session.commitSoon({ journal: journalEntry(execution.id.key, rawEntry(toolCall, execution, result)) });
}

/**
 * Journals the result of an execution while the gates may still ask about it. It is part of the next commit: a question
 * about a result is never stored without that result.
 */
export function holdResult(toolCall: ToolCallState, execution: Execution, result: ToolResult): void {
  const entry = { ...rawEntry(toolCall, execution, result), held: true as const };
  toolCall.run.record.session.hold({ journal: journalEntry(execution.id.key, entry) });
}

function rawEntry(
  toolCall: ToolCallState,
  execution: Execution,
  result: ToolResult,
): JournalEntry & { type: 'raw' } {
  const entry = {
    type: 'raw' as const,
    ...journalledCalls(toolCall, execution),
    result: storedResult(result),
  };
  return 'error' in result ? { ...entry, failed: journalledFailure(result.error) } : entry;
}

function journalledCalls(
  { call, run }: ToolCallState,
  { asked, approved }: Execution,
): { readonly asked?: JournalledCall; readonly done?: JournalledCall } {
  if (asked === call && approved.call === call) return unchanged;
  const [passed, done] = [hiddenCall(run.plugins, asked), hiddenCall(run.plugins, approved.call)];
  return {
    ...(isSameCall(passed, call) ? {} : { asked: passed }),
    ...(isSameCall(done, passed) ? {} : { done }),
  };
}

const unchanged = Object.freeze({});

/** Deletes the intent of a tool that asked a question, unless the question already replaced it. */
async function withdrawIntent({ run }: ToolCallState, key: string): Promise<void> {
  if (run.record.session.journalled(key) !== undefined)
    await run.record.session.commit({ journal: journalEntry(key, null) });
}

/** Returns the plugin that registered a tool; undefined for the agent's own tools. */
function pluginOf(run: RunParts, tool: Tool): string | undefined {
  const owner = ownerOfTool(run.plugins, tool);
  return owner === run.terms.parts.toolOwner ? undefined : owner.id;
}

function isGenerator(value: unknown): value is AsyncGenerator<JsonValue, ToolOutput, void> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value && 'next' in value;
}

async function drain(
  generator: AsyncGenerator<JsonValue, ToolOutput, void>,
  sink: Sink<JsonValue> | undefined,
  frame: Frame,
): Promise<ToolOutput> {
  let step = await generator.next();
  while (step.done !== true) {
    if (frame.closed) {
      await generator.return(undefined);
      throw frame.reason;
    }
    step = await passOn(generator, step.value, sink);
  }
  return step.value;
}

/** Emits a yielded value as progress. A value that is not JSON is thrown into the generator at its `yield`. */
async function passOn(
  generator: AsyncGenerator<JsonValue, ToolOutput, void>,
  yielded: JsonValue,
  sink: Sink<JsonValue> | undefined,
): Promise<IteratorResult<JsonValue, ToolOutput>> {
  let json: JsonValue;
  try {
    json = frozenJson(yielded, 'the value yielded by a tool');
  } catch (error) {
    return generator.throw(error);
  }
  await sink?.push(json);
  return generator.next();
}
