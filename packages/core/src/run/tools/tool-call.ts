import { describeValue } from '../../base/describe-value.ts';
import { handled } from '../../base/handled.ts';
import { isPromise } from '../../base/is-promise.ts';
import type { JsonValue } from '../../base/json.ts';
import type { AnySchema, Schema, SchemaOutput } from '../../base/schema.ts';
import { asThrown } from '../../base/thrown.ts';
import type { Scope } from '../../contract/hooks.ts';
import {
  unknownEffect,
  unknownResultText,
  type InterruptRequest,
  type UnknownEffectAnswer,
} from '../../contract/interrupt.ts';
import { textOf, textPart, wholeMessage, type ToolMessage } from '../../contract/messages.ts';
import type { JournalEntry } from '../../contract/store.ts';
import type { ToolDisplay } from '../../contract/tool-display.ts';
import { checkResult, isToolResult, storedResult } from '../../contract/tool-result.ts';
import type { Tool, ToolCall, ToolResult } from '../../contract/tool.ts';
import type { ChildOptions, ChildResult } from '../../contract/work/child.ts';
import { badResult } from '../../hooks/bad-result.ts';
import type { Frame } from '../../hooks/frame.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import type { OnionCall } from '../../hooks/onion-call.ts';
import { Pressure, type Sink } from '../../hooks/sink.ts';
import { executionKey } from '../../sessions/content/journal-keys.ts';
import type { BackgroundChildren } from '../children/background-children.ts';
import type { ChildPlace } from '../children/run-child.ts';
import { hiddenCall } from '../input/hidden.ts';
import type { RunParts } from '../run-parts.ts';
import { changedText } from './changed-text.ts';
import { isSameCall, type CallCheck, type CheckedCall } from './check-call.ts';
import { executeTool, holdResult, keepResult } from './execute-tool.ts';
import { ExecutionOrdinals } from './execution-ordinals.ts';
import type { Execution, ExecutionRequest } from './execution.ts';
import { finishResult } from './finish-result.ts';
import { passGates } from './gates.ts';
import { revivedFailure } from './journalled-failure.ts';
import { ToolCallState } from './tool-call-state.ts';

type RawEntry = JournalEntry & { type: 'raw' };

/** One tool call on its way through `wrapToolCall`, validation, gates and execution. */
export class ToolOnionCall extends ToolCallState implements OnionCall<ToolCall, ToolResult, JsonValue> {
  readonly restart = undefined;
  readonly origin: Scope['origin'] = undefined;
  /** The number of executions that the layers have requested. */
  #passes = 0;
  /** Set if the run was resumed in the step of this call. */
  #ordinals: ExecutionOrdinals | undefined;
  #frame: Frame | undefined;
  readonly #isAnnounced: boolean;

  /** `isAnnounced`: the call was entered before, so clients already know it. */
  constructor(
    run: RunParts,
    children: BackgroundChildren,
    call: ToolCall,
    tools: readonly Tool[],
    isAnnounced: boolean,
  ) {
    super(run, children, call, tools);
    this.#isAnnounced = isAnnounced;
  }

  override get resumed(): boolean {
    return this.#isAnnounced || super.resumed;
  }

  /** Returns the result of the layers. Call `leave` when it has settled. */
  settle(): Promise<ToolResult> {
    const { run, call } = this;
    const frame = run.life.enter();
    this.#frame = frame;
    if (run.signs.listener === undefined) return this.#enter(frame);
    const announce = (display: ToolDisplay | undefined): Promise<ToolResult> => {
      this.#announce(display);
      return this.#enter(frame);
    };
    const display = this.displayOf(call);
    return isPromise(display) ? frame.wait(display).then(announce) : announce(display);
  }

  #enter(frame: Frame): Promise<ToolResult> {
    const { run, call } = this;
    const sink = run.signs.listener === undefined ? undefined : this.#progressSink();
    const { wrapToolCall } = run.terms.chains;
    const settled = wrapToolCall.call(call, this, frame, sink);
    // Layers may ignore an abort, so it is raced against them; without layers, the execution settles on an abort by
    // itself.
    return wrapToolCall.isIdle ? settled : frame.wait(settled);
  }

  leave(): void {
    if (this.#frame !== undefined) this.run.life.leave(this.#frame);
    this.leaveChildren();
  }

  #announce(display: ToolDisplay | undefined): void {
    const { run, call } = this;
    void run.signs.listener?.({
      type: 'tool-start',
      step: run.record.progress.step,
      callId: call.id,
      name: call.name,
      input: call.input,
      ...display,
      ...(this.#isAnnounced ? { resumed: true } : {}),
    });
  }

  toMessage(result: ToolResult): ToolMessage {
    const { call, run } = this;
    return wholeMessage<ToolMessage>({
      role: 'tool',
      callId: call.id,
      name: call.name,
      ...storedResult(result),
      id: run.record.newMessageId(),
    });
  }

  core(asked: ToolCall, frame: Frame, sink: Sink<JsonValue> | undefined): Promise<ToolResult> {
    try {
      const pass = this.#ordinalOf(asked);
      this.throwIfOpen();
      if (frame.closed) throw frame.reason;
      const key = executionKey(this.call.id, pass);
      const journalled = this.run.record.session.journalled(key);
      const request = { id: { key, pass, ordinal: pass - this.unsettled }, asked, frame, sink };
      const performed =
        journalled === undefined ? this.#perform(request) : this.#performAgain(request, journalled);
      return frame.waitToEnd(performed);
    } catch (error) {
      frame.settle();
      return handled(Promise.reject(asThrown(error)));
    }
  }

  #ordinalOf(asked: ToolCall): number {
    if (!this.#isAnnounced) return (this.#passes += 1);
    this.#ordinals ??= new ExecutionOrdinals(this.run.record.session.executions(this.call.id));
    const { plugins } = this.run;
    return this.#ordinals.take((before) => isSameCall(hiddenCall(plugins, asked), before ?? this.call));
  }

  /**
   * Validates, gates, executes and journals a call. `held` is a journalled result on which the gates have not decided
   * yet.
   */
  #perform(request: ExecutionRequest, held?: RawEntry): Promise<ToolResult> {
    const checking = this.check(request.asked);
    return isPromise(checking)
      ? checking.then((checked) => this.#performChecked(request, checked, held))
      : this.#performChecked(request, checking, held);
  }

  #performChecked(
    request: ExecutionRequest,
    checked: CallCheck,
    held: RawEntry | undefined,
  ): Promise<ToolResult> {
    if ('result' in checked) return Promise.resolve(this.#passResult(request, checked.result));
    const execution = { ...request, approved: checked };
    const { gates, taps } = this.run.terms.chains.wrapToolCall;
    if (gates.length > 0 || held !== undefined) return this.#performGated(execution, held);
    // Without layers the result is final, and only the final result is journalled.
    return executeTool(this, execution, taps.length === 0 ? undefined : keepResult);
  }

  /** Continues an execution that was journalled before a resume: reuses its result, or settles its unknown effect. */
  async #performAgain(request: ExecutionRequest, journalled: JournalEntry): Promise<ToolResult> {
    if (journalled.type === 'intent') {
      const said = await this.#settleUnknown(journalled, request.id.pass);
      if (said !== undefined) return this.#passResult(request, said);
    }
    if (journalled.type !== 'raw') return this.#perform(request);
    if (journalled.held !== true) return this.#revive(journalled, request.asked.name);
    return this.#perform(request, journalled);
  }

  /** Lets the gates decide on a call, and journals the result that they return. */
  async #performGated(request: Execution, held: RawEntry | undefined): Promise<ToolResult> {
    let done: { readonly execution: Execution; readonly result: ToolResult } | undefined;
    const execute = async (approved: CheckedCall, frame: Frame): Promise<ToolResult> => {
      const execution = { ...request, frame, approved };
      const isHeld = held !== undefined && this.#isOf(held, approved.call, request.asked);
      const result = isHeld ? this.#revive(held, request.asked.name) : await executeTool(this, execution);
      if (!isHeld) holdResult(this, execution, result);
      done = { execution, result };
      return result;
    };
    const { frame, id, approved } = request;
    const { gates, taps } = this.run.terms.chains.wrapToolCall;
    const decided =
      gates.length === 0
        ? await execute(approved, frame)
        : await passGates(this, id.pass, approved, frame, execute);
    if (frame.closed) throw frame.reason;
    // A result that a gate made or replaced has not passed the taps on results.
    const result = decided === done?.result ? decided : await this.#passResult(request, decided);
    if (done !== undefined && taps.length > 0) keepResult(this, done.execution, result);
    return result;
  }

  /** Returns true if a held result belongs to the approved call. */
  #isOf(held: RawEntry, approved: ToolCall, asked: ToolCall): boolean {
    return isSameCall(
      hiddenCall(this.run.plugins, approved),
      held.done ?? hiddenCall(this.run.plugins, asked),
    );
  }

  /** Passes a result that no execution returned through the taps on results. */
  #passResult(request: ExecutionRequest, result: ToolResult): ToolResult | Promise<ToolResult> {
    return finishResult(this, request.asked, request, result);
  }

  /**
   * Asks a person about an execution that started before a crash or an abort and may have taken effect. Returns the
   * result to use, or undefined to execute the call again.
   */
  async #settleUnknown(
    intent: JournalEntry & { type: 'intent' },
    pass: number,
  ): Promise<ToolResult | undefined> {
    const done = intent.done ?? intent.asked ?? this.call;
    const { name: tool, input } = done;
    const message = `The run stopped while ${tool} was running. It is not known whether the call took effect.`;
    const question = unknownEffect({ tool, input, message });
    // The answer schema allows no other answers.
    const answer = (await this.askFor(
      'core',
      ['unknown', pass, intent.id],
      done,
      question,
    )) as unknown as UnknownEffectAnswer;
    if (answer.action === 'repeat') return undefined;
    const content = [...changedText(intent), textPart(unknownResultText(answer))];
    return checkResult({ content }, tool);
  }

  #revive(entry: RawEntry, tool: string): ToolResult {
    if (entry.failed?.transient === true) this.noteUnsettled();
    return revived(entry, tool);
  }

  acceptResponse(tap: LiveTap, returned: unknown): ToolResult {
    if (returned !== undefined && returned === this.executed) return this.executed;
    if (!isToolResult(returned)) {
      throw badResult(tap, describeValue(returned), 'a tool result: the result of next, or { content: "…" }');
    }
    return checkResult(returned, this.call.name, tap.info.plugin);
  }

  blame(tap: LiveTap, error: unknown): void {
    this.run.signs.blames.tap(tap, error);
  }

  startedOver(): void {}

  interrupt<S extends Schema>(tap: LiveTap, request: InterruptRequest<S>): Promise<SchemaOutput<S>> {
    return this.askFor(tap.info.plugin, 'layer', this.call, request);
  }

  child<S extends AnySchema>(
    tap: LiveTap,
    at: Pick<ChildPlace, 'ordinal' | 'frame'>,
    options: ChildOptions<S>,
  ): Promise<ChildResult<SchemaOutput<S>>> {
    return this.childFor({ place: `layer/${tap.key}`, ...at }, options);
  }

  once<T>(tap: LiveTap, attempt: number, key: string, fn: () => T | Promise<T>): Promise<T> {
    return this.onceFor(`${tap.info.plugin}:${attempt}`, tap.info.plugin, key, fn);
  }

  #progressSink(): Sink<JsonValue> {
    const { run, call } = this;
    const { step } = run.record.progress;
    const pressure = new Pressure();
    return {
      dirty: false,
      pressure,
      push: (data) =>
        pressure.note(run.signs.listener?.({ type: 'tool-progress', step, callId: call.id, data })),
    };
  }
}

function revived({ result, failed }: RawEntry, tool: string): ToolResult {
  // `keepResult` wrote it from a result; a store may return it unfrozen.
  const stored = checkResult(result as unknown as ToolResult, tool);
  return failed === undefined
    ? stored
    : Object.freeze({ ...stored, error: revivedFailure(failed, textOf(stored)) });
}
