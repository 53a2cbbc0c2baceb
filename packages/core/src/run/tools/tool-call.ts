import { describeValue } from '../../base/describe-value.ts';
import { handled } from '../../base/handled.ts';
import { isPromise } from '../../base/is-promise.ts';
import type { JsonValue } from '../../base/json.ts';
import type { Schema, SchemaOutput } from '../../base/schema.ts';
import { asThrown } from '../../base/thrown.ts';
import type { Scope } from '../../contract/hooks.ts';
import type { InterruptRequest } from '../../contract/interrupt.ts';
import { textOf, textPart, wholeMessage, type ToolMessage } from '../../contract/messages.ts';
import type { JournalEntry } from '../../contract/store.ts';
import type { ToolDisplay } from '../../contract/tool-display.ts';
import { checkResult, isToolResult, storedResult } from '../../contract/tool-result.ts';
import type { Tool, ToolCall, ToolResult } from '../../contract/tool.ts';
import { badResult } from '../../hooks/bad-result.ts';
import type { Frame } from '../../hooks/frame.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import type { OnionCall } from '../../hooks/onion-call.ts';
import { Pressure, type Sink } from '../../hooks/sink.ts';
import { executionKey } from '../../sessions/journal-keys.ts';
import type { ActiveRun } from '../active-run.ts';
import { isIdle } from '../hook-caller.ts';
import { isSameCall, type CallCheck, type CheckedCall } from './check-call.ts';
import { executeTool, holdResult, keepResult, type Execution } from './execute-tool.ts';
import { passGates } from './gates.ts';
import { revivedFailure } from './journalled-failure.ts';
import { ToolPassage } from './tool-passage.ts';
import { changedText, unknownEffect, type UnknownEffectAnswer } from './unknown-effect.ts';

type RawEntry = JournalEntry & { type: 'raw' };

/** One tool call on its way through `wrapToolCall`, the check of its arguments, the gates and the execution. */
export class ToolCallPassage extends ToolPassage implements OnionCall<ToolCall, ToolResult, JsonValue> {
  readonly restart = undefined;
  readonly origin: Scope['origin'] = undefined;
  /** How often the layers have come to the core: the ordinal of the execution. */
  #passes = 0;
  #frame: Frame | undefined;
  readonly #isAnnounced: boolean;

  /** `isAnnounced`: the run was resumed in the step of the call. */
  constructor(run: ActiveRun, call: ToolCall, tools: readonly Tool[], isAnnounced: boolean) {
    super(run, call, tools);
    this.#isAnnounced = isAnnounced;
  }

  /** What the layers make of the call. Leave it when this has settled. */
  settle(): Promise<ToolResult> {
    const { run, call } = this;
    const frame = run.life.enter();
    this.#frame = frame;
    if (run.listener === undefined) return this.#enter(frame);
    const announce = (display: ToolDisplay | undefined): Promise<ToolResult> => {
      this.#announce(display);
      return this.#enter(frame);
    };
    const display = this.displayOf(call);
    return isPromise(display) ? frame.wait(display).then(announce) : announce(display);
  }

  #enter(frame: Frame): Promise<ToolResult> {
    const { run, call } = this;
    const sink = run.listener === undefined ? undefined : this.#progressSink();
    const { wrapToolCall } = run.chains;
    const settled = wrapToolCall.call(call, this, frame, sink);
    // An abort cuts the execution short; that is all of it unless there are layers, which may take no notice.
    return isIdle(wrapToolCall) ? settled : frame.wait(settled);
  }

  leave(): void {
    if (this.#frame !== undefined) this.run.life.leave(this.#frame);
  }

  #announce(display: ToolDisplay | undefined): void {
    const { run, call } = this;
    void run.listener?.({
      type: 'tool-start',
      step: run.progress.step,
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
      id: run.newMessageId(),
    });
  }

  core(asked: ToolCall, frame: Frame, sink: Sink<JsonValue> | undefined): Promise<ToolResult> {
    this.#passes += 1;
    const pass = this.#passes;
    try {
      this.throwIfOpen();
      if (frame.closed) throw frame.reason;
      const key = executionKey(this.call.id, pass);
      const journalled = this.run.session.journalled(key);
      const request = { key, pass, asked, frame, sink };
      const performed =
        journalled === undefined ? this.#perform(request) : this.#performAgain(request, journalled);
      return frame.waitToEnd(performed);
    } catch (error) {
      frame.settle();
      return handled(Promise.reject(asThrown(error)));
    }
  }

  /** Check, gates, execution, journal. `held` is a result that the gates have not let out yet. */
  #perform(request: Omit<Execution, 'approved'>, held?: RawEntry): Promise<ToolResult> {
    const checking = this.check(request.asked);
    return isPromise(checking)
      ? checking.then((checked) => this.#performChecked(request, checked, held))
      : this.#performChecked(request, checking, held);
  }

  #performChecked(
    request: Omit<Execution, 'approved'>,
    checked: CallCheck,
    held: RawEntry | undefined,
  ): Promise<ToolResult> {
    if ('result' in checked) return Promise.resolve(checked.result);
    const execution = { ...request, approved: checked };
    const { gates, taps } = this.run.chains.wrapToolCall;
    if (gates.length > 0 || held !== undefined) return this.#performGated(execution, held);
    // Without layers this result is the final one, and is committed as such at once.
    return executeTool(this, execution, taps.length === 0 ? undefined : keepResult);
  }

  /** Goes on with what is known of an execution that began before a crash, or has come to its end. */
  async #performAgain(request: Omit<Execution, 'approved'>, journalled: JournalEntry): Promise<ToolResult> {
    const { asked, pass } = request;
    const isKnown = journalled.type === 'raw' && isSameCall(asked, journalled.asked ?? this.call);
    if (isKnown && journalled.held !== true) return revived(journalled, asked.name);
    if (journalled.type === 'intent') {
      const said = await this.#settleUnknown(journalled, pass);
      if (said !== undefined) return said;
    }
    return this.#perform(request, isKnown ? journalled : undefined);
  }

  /** Lets the gates decide, and keeps what came of it. */
  async #performGated(request: Execution, held: RawEntry | undefined): Promise<ToolResult> {
    let done: Execution | undefined;
    const execute = async (approved: CheckedCall, frame: Frame): Promise<ToolResult> => {
      const execution = { ...request, frame, approved };
      const isHeld = held !== undefined && isSameCall(approved.call, held.done ?? request.asked);
      const result = isHeld ? revived(held, request.asked.name) : await executeTool(this, execution);
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
    if (done !== undefined && taps.length > 0) keepResult(this, done, result);
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
    if (returned !== undefined && returned === this.executed) return this.executed;
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

function revived({ result, failed }: RawEntry, tool: string): ToolResult {
  // Written by `keepResult`, of a result; a store may give it back unfrozen.
  const stored = checkResult(result as unknown as ToolResult, tool);
  return failed === undefined
    ? stored
    : Object.freeze({ ...stored, error: revivedFailure(failed, textOf(stored)) });
}
