import { describeValue } from '../../base/describe-value.ts';
import { isPromise } from '../../base/is-promise.ts';
import type { JsonValue } from '../../base/json.ts';
import type { Schema, SchemaOutput } from '../../base/schema.ts';
import type { Scope } from '../../contract/hooks.ts';
import type { InterruptRequest } from '../../contract/interrupt.ts';
import { textOf, textPart, toMessage, type ToolMessage } from '../../contract/messages.ts';
import type { JournalEntry } from '../../contract/store.ts';
import { checkResult, isToolResult, storedResult } from '../../contract/tool-result.ts';
import type { Tool, ToolCall, ToolResult } from '../../contract/tool.ts';
import { badResult } from '../../hooks/bad-result.ts';
import type { Frame } from '../../hooks/frame.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import type { OnionCall } from '../../hooks/onion-call.ts';
import { Pressure, type Sink } from '../../hooks/sink.ts';
import { executionKey } from '../../sessions/journal-keys.ts';
import type { ActiveRun } from '../active-run.ts';
import { isSameCall, type CheckedCall } from './check-call.ts';
import { executeTool, holdResult, journalResult, type Execution } from './execute-tool.ts';
import { passGates } from './gates.ts';
import { revivedFailure } from './journalled-failure.ts';
import { ToolPassage } from './tool-passage.ts';
import { changedText, unknownEffect, type UnknownEffectAnswer } from './unknown-effect.ts';

/** One tool call on its way through `wrapToolCall`, the check of its arguments, the gates and the execution. */
export class ToolCallPassage extends ToolPassage implements OnionCall<ToolCall, ToolResult, JsonValue> {
  readonly restart = undefined;
  readonly origin: Scope['origin'] = undefined;
  /** How often the layers have come to the core: the ordinal of the execution. */
  #passes = 0;
  readonly #isAnnounced: boolean;

  /** `isAnnounced`: the run was resumed in the step of the call. */
  constructor(run: ActiveRun, call: ToolCall, tools: readonly Tool[], isAnnounced: boolean) {
    super(run, call, tools);
    this.#isAnnounced = isAnnounced;
  }

  /** The final result. Throws the interrupt that the call waits for, also when a layer swallowed it. */
  async settle(): Promise<ToolResult> {
    const { run, call } = this;
    void run.listener?.({
      type: 'tool-start',
      step: run.progress.step,
      callId: call.id,
      name: call.name,
      input: call.input,
      ...this.displayOf(call),
      ...(this.#isAnnounced ? { resumed: true } : {}),
    });
    const sink = run.listener === undefined ? undefined : this.#progressSink();
    const { wrapToolCall } = run.chains;
    const frame = run.life.enter();
    try {
      const settled = wrapToolCall.call(call, this, frame, sink);
      // An abort cuts the execution short; that is all of it unless there are layers, which may take no notice.
      const isAlone = wrapToolCall.taps.length === 0 && wrapToolCall.quiet;
      const result = await (isAlone ? settled : frame.wait(settled));
      this.throwIfOpen();
      // It was checked when it was made, and when a layer returned it.
      return result;
    } catch (error) {
      this.throwIfOpen();
      throw error;
    } finally {
      run.life.leave(frame);
    }
  }

  toMessage(result: ToolResult): ToolMessage {
    const { call, run } = this;
    const message = { role: 'tool' as const, callId: call.id, name: call.name, ...storedResult(result) };
    // The role of what goes in is the role of what comes out.
    return toMessage(message, run.newMessageId) as ToolMessage;
  }

  core(asked: ToolCall, frame: Frame, sink: Sink<JsonValue> | undefined): Promise<ToolResult> {
    this.#passes += 1;
    return frame.waitToEnd(this.#perform(asked, this.#passes, frame, sink));
  }

  /** What is known of the execution, or: check, gates, execution, journal. */
  async #perform(
    asked: ToolCall,
    pass: number,
    frame: Frame,
    sink: Sink<JsonValue> | undefined,
  ): Promise<ToolResult> {
    this.throwIfOpen();
    if (frame.closed) throw frame.reason;
    const key = executionKey(this.call.id, pass);
    const journalled = this.run.session.journalled(key);
    const known =
      journalled?.type === 'raw' && isSameCall(asked, journalled.asked ?? this.call) ? journalled : undefined;
    if (known !== undefined && known.held !== true) return revived(known);
    if (journalled?.type === 'intent') {
      const said = await this.#settleUnknown(journalled, pass);
      if (said !== undefined) return said;
    }

    const checking = this.check(asked);
    const checked = isPromise(checking) ? await checking : checking;
    if ('result' in checked) return checked.result;

    const { gates, taps } = this.run.chains.wrapToolCall;
    const execution: Execution = { key, pass, asked, approved: checked, frame, sink };
    if (gates.length > 0 || known !== undefined) return this.#performGated(execution, known);
    const result = await executeTool(this, execution);
    // Without layers this result is the final one, and is committed as such at once.
    if (taps.length > 0) journalResult(this, execution, result);
    return result;
  }

  /** Lets the gates decide, and keeps what came of it. `held` is a result that they have not let out yet. */
  async #performGated(
    request: Execution,
    held: (JournalEntry & { type: 'raw' }) | undefined,
  ): Promise<ToolResult> {
    let done: Execution | undefined;
    const execute = async (approved: CheckedCall, frame: Frame): Promise<ToolResult> => {
      const execution = { ...request, frame, approved };
      const isHeld = held !== undefined && isSameCall(approved.call, held.done ?? request.asked);
      const result = isHeld ? revived(held) : await executeTool(this, execution);
      if (!isHeld) holdResult(this, execution, result);
      done = execution;
      return result;
    };
    const { frame, pass, approved } = request;
    const { gates, taps } = this.run.chains.wrapToolCall;
    const result =
      gates.length === 0
        ? await execute(approved, frame)
        : await passGates(this, pass, approved, frame, execute);
    if (frame.closed) throw frame.reason;
    if (done !== undefined && taps.length > 0) journalResult(this, done, result);
    return result;
  }

  /** An execution that began before a crash: it may or may not have taken effect, and only a person can tell. */
  async #settleUnknown(
    intent: JournalEntry & { type: 'intent' },
    pass: number,
  ): Promise<ToolResult | undefined> {
    const done = intent.done ?? intent.asked ?? this.call;
    const answer = await this.askFor('core', ['unknown', pass, intent.id], done, unknownEffect(done));
    // What the schema lets through is such an answer.
    const { action, result } = answer as unknown as UnknownEffectAnswer;
    if (action === 'repeat') return undefined;
    const text = result ?? 'The call took effect; its result was lost.';
    return checkResult({ content: [...changedText(intent), textPart(text)] }, done.name);
  }

  acceptResponse(tap: LiveTap, returned: unknown): ToolResult {
    if (!isToolResult(returned)) {
      throw badResult(
        tap,
        describeValue(returned),
        'a tool result: the result of next, or { content: [{ type: "text", text }] }',
      );
    }
    return checkResult(returned, this.call.name, tap.info.plugin);
  }

  blame(tap: LiveTap, error: unknown): void {
    this.run.blames.tap(tap, error);
  }

  startedOver(): void {}

  interrupt<S extends Schema>(tap: LiveTap, request: InterruptRequest<S>): Promise<SchemaOutput<S>> {
    return this.askFor(tap.info.plugin, 'layer', this.call, request);
  }

  once<T>(tap: LiveTap, attempt: number, key: string, fn: () => T | Promise<T>): Promise<T> {
    return this.onceFor(`${tap.info.plugin}:${attempt}`, tap.info.plugin, key, fn);
  }

  #progressSink(): Sink<JsonValue> {
    const { run, call } = this;
    const { step } = run.progress;
    const pressure = new Pressure();
    return {
      dirty: false,
      pressure,
      push: (data) => pressure.note(run.listener?.({ type: 'tool-progress', step, callId: call.id, data })),
    };
  }
}

function revived({ result, failed }: JournalEntry & { type: 'raw' }): ToolResult {
  // Written by `journalResult`, of a result.
  const stored = result as unknown as ToolResult;
  return failed === undefined
    ? stored
    : Object.freeze({ ...stored, error: revivedFailure(failed, textOf(stored)) });
}
