import type { CallAddress } from '../../base/address.ts';
import { describeValue } from '../../base/describe-value.ts';
import { digestOf } from '../../base/digest-of.ts';
import { handled } from '../../base/handled.ts';
import type { JsonValue } from '../../base/json.ts';
import type { AnySchema, Schema, SchemaOutput } from '../../base/schema.ts';
import { messageOf } from '../../base/thrown.ts';
import type { Edit, Scope, ToolScope, WrapRun } from '../../contract/hooks.ts';
import type { CallOutput, InterruptRequest } from '../../contract/interrupt.ts';
import { textOf } from '../../contract/messages.ts';
import { checkResult, errorResult, isToolResult } from '../../contract/tool-result.ts';
import type { ToolCall, ToolResult } from '../../contract/tool.ts';
import type { ChildOptions, ChildResult } from '../../contract/work/child.ts';
import type { Frame } from '../../hooks/frame.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import type { GateRules, OnionCall } from '../../hooks/onion-call.ts';
import { enterLayer, OnionPass } from '../../hooks/onion-layer.ts';
import type { ChildPlace } from '../children/run-child.ts';
import { displayOfCheckedCall } from './call-display.ts';
import { outputOf } from './call-output.ts';
import { type CheckedCall, isSameCall } from './check-call.ts';
import type { CallInQuestion, ToolCallState } from './tool-call-state.ts';

/**
 * The maximum number of edits of one call; beyond it, the call is denied, since gates that undo each other's edits would
 * never end.
 */
const maxEdits = 8;

/** Executes a call in the given frame, and settles that frame. */
type Execute = (approved: CheckedCall, frame: Frame) => Promise<ToolResult>;

/**
 * Passes a validated call through the gates, and executes the call that the last gate passes on. An edited call is
 * validated again, and all gates decide again; the gate that made the edit is skipped, unless the edit changed the
 * tool.
 */
export function passGates(
  toolCall: ToolCallState,
  pass: number,
  checked: CheckedCall,
  frame: Frame,
  execute: Execute,
): Promise<ToolResult> {
  return new GateRound(new Decision(toolCall, pass, frame, execute), checked, undefined).begin(frame);
}

/** An edit on which the gates have not decided yet. */
interface PendingEdit extends Edit {
  readonly tap: LiveTap;
  readonly toolChanged: boolean;
}

/** The decision of the gates on one execution of a call, with all rounds that edits cause. */
class Decision {
  readonly toolCall: ToolCallState;
  /** The ordinal of the execution within the call. */
  readonly pass: number;
  readonly #frame: Frame;
  readonly #execute: Execute;
  #edits = 0;
  /** True once the call was executed: an approval is valid for one execution. */
  #executed = false;
  #result: ToolResult | undefined;
  /** The error of the execution. It is rethrown, not turned into a denial. */
  #failure: { readonly error: unknown } | undefined;

  constructor(toolCall: ToolCallState, pass: number, frame: Frame, execute: Execute) {
    this.toolCall = toolCall;
    this.pass = pass;
    this.#frame = frame;
    this.#execute = execute;
  }

  /** The number of edits; each starts another round of the gates. */
  get edits(): number {
    return this.#edits;
  }

  throwIfOver(): void {
    this.toolCall.throwIfOpen();
    if (this.#frame.closed) throw this.#frame.reason;
  }

  /** The result of the execution. A gate that returns it unchanged needs no validation. */
  get result(): ToolResult | undefined {
    return this.#result;
  }

  async execute(checked: CheckedCall, frame: Frame): Promise<ToolResult> {
    if (this.#executed) {
      const by = this.toolCall.run.terms.chains.wrapToolCall.gates.at(-1)?.info.plugin ?? 'gate';
      return denial(by, checked.call, 'a gate called next again; an approval is valid for one execution');
    }
    this.#executed = true;
    try {
      this.#result = await this.#execute(checked, frame);
      return this.#result;
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  /** Validates an edited call, and starts another round of the gates. */
  async change(tap: LiveTap, from: ToolCall, call: ToolCall, outer: Frame): Promise<ToolResult> {
    this.#edits += 1;
    if (this.#edits > maxEdits) return this.#deny(tap, call, `it was changed more than ${maxEdits} times`);
    const checked = await this.toolCall.check(call);
    if ('result' in checked) return checked.result;
    const edit = { by: tap.info.plugin, from, tap, toolChanged: call.name !== from.name };
    return new GateRound(this, checked, edit).begin(outer);
  }

  /**
   * Returns a denial for a failed gate. If the call was already executed, the result is withheld instead. Rethrows an
   * error of the execution.
   */
  failed(tap: LiveTap, call: ToolCall, error: unknown): ToolResult {
    this.toolCall.throwIfOpen();
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#frame.closed) throw error;
    if (!this.#executed) return this.#deny(tap, call, `the gate failed: ${messageOf(error)}`, error);
    const { plugin } = tap.info;
    const text = `The call of ${call.name} was executed, but the gate ${plugin} failed on its result: ${messageOf(error)}`;
    this.toolCall.run.signs.warn('GATE_FAILED', text, plugin);
    tap.owner.log.error({ err: error, callId: call.id }, 'a gate failed on a result; it was withheld');
    return errorResult(text);
  }

  #deny(tap: LiveTap, call: ToolCall, reason: string, error?: unknown): ToolResult {
    const { plugin } = tap.info;
    this.toolCall.run.signs.warn('GATE_DENIED', `${plugin} denied ${call.name}: ${reason}`, plugin);
    if (error !== undefined)
      tap.owner.log.error({ err: error, callId: call.id }, 'a gate failed; the call was denied');
    return denial(plugin, call, reason);
  }
}

/**
 * One round of the gates for one version of the call: an onion whose layers are the gates. An edit starts another
 * round.
 */
class GateRound implements OnionCall<ToolCall, ToolResult, JsonValue>, GateRules<ToolCall, ToolResult> {
  readonly restart = undefined;
  readonly origin: Scope['origin'] = undefined;
  readonly gates = this;
  readonly attempt: number;
  readonly edit: Edit | undefined;
  readonly #decision: Decision;
  readonly #checked: CheckedCall;
  readonly #pending: PendingEdit | undefined;
  readonly #pass: OnionPass<ToolCall, ToolResult, JsonValue>;
  readonly #number: number;
  #output: { readonly known: CallOutput | undefined } | undefined;

  constructor(decision: Decision, checked: CheckedCall, pending: PendingEdit | undefined) {
    this.#decision = decision;
    this.#checked = checked;
    this.#pending = pending;
    this.#number = decision.edits;
    this.attempt = decision.pass;
    if (pending !== undefined) this.edit = Object.freeze({ by: pending.by, from: pending.from });
    const { gates, watch } = decision.toolCall.run.terms.chains.wrapToolCall;
    this.#pass = new OnionPass<ToolCall, ToolResult, JsonValue>(gates, watch?.(decision.toolCall), this);
  }

  begin(outer: Frame): Promise<ToolResult> {
    return this.#enter(0, this.#checked.call, outer);
  }

  pass(index: number, call: ToolCall, outer: Frame): Promise<ToolResult> {
    if (isSameCall(call, this.#checked.call)) return handled(this.#enter(index + 1, call, outer));
    // Only gates call `next` here, so the tap exists.
    const tap = this.#pass.taps[index] as LiveTap;
    return handled(this.#decision.change(tap, this.#checked.call, call, outer));
  }

  /** Enters the gate at `index`. The gate that made the edit is skipped, unless the edit changed the tool. */
  async #enter(index: number, call: ToolCall, outer: Frame): Promise<ToolResult> {
    this.#decision.throwIfOver();
    const tap = this.#pass.taps[index];
    const hasAgreed = tap !== undefined && tap === this.#pending?.tap && !this.#pending.toolChanged;
    return enterLayer(this.#pass, hasAgreed ? index + 1 : index, call, outer, true, undefined);
  }

  core(call: ToolCall, frame: Frame): Promise<ToolResult> {
    const executed = this.#decision.execute(withMetadata(this.#checked, call), frame);
    return handled(executed.finally(() => frame.settle()));
  }

  rescue(tap: LiveTap, error: unknown): ToolResult {
    return this.#decision.failed(tap, this.#checked.call, error);
  }

  acceptRequest(tap: LiveTap, passed: unknown, given: ToolCall): ToolCall {
    return this.#decision.toolCall.acceptRequest(tap, passed, given);
  }

  acceptResponse(tap: LiveTap, returned: unknown): ToolResult {
    const { result } = this.#decision;
    if (result !== undefined && returned === result) return result;
    if (!isToolResult(returned))
      throw new TypeError(`it returned ${describeValue(returned)} instead of a tool result`);
    return checkResult(returned, this.#checked.call.name, tap.info.plugin);
  }

  /** A failing gate denies the call; it does not fail the run. */
  blame(): void {}

  startedOver(): void {}

  report(error: Parameters<ToolCallState['report']>[0]): void {
    this.#decision.toolCall.report(error);
  }

  fail(error: Parameters<ToolCallState['fail']>[0]): void {
    this.#decision.toolCall.fail(error);
  }

  // Data for a gate about the call that it decides on.

  get run(): ToolCallState['run'] {
    return this.#decision.toolCall.run;
  }

  get address(): CallAddress {
    return this.#decision.toolCall.address;
  }

  get resumed(): boolean {
    return this.#decision.toolCall.resumed;
  }

  get hasOpenQuestion(): boolean {
    return this.#decision.toolCall.hasOpenQuestion;
  }

  get output(): CallOutput | undefined {
    this.#output ??= { known: outputOf(this.#checked) };
    return this.#output.known;
  }

  get display(): ToolScope['display'] {
    return displayOfCheckedCall(this.#decision.toolCall.run, this.#checked);
  }

  runFor(tap: LiveTap): WrapRun {
    return this.#decision.toolCall.runFor(tap);
  }

  async check({
    name,
    input,
  }: Pick<ToolCall, 'name' | 'input'>): ReturnType<NonNullable<ToolScope['check']>> {
    const { id, index } = this.#checked.call;
    const checked = await this.#decision.toolCall.check({ id, index, name, input });
    return 'result' in checked ? textOf(checked.result) : undefined;
  }

  interrupt<S extends Schema>(tap: LiveTap, request: InterruptRequest<S>): Promise<SchemaOutput<S>> {
    return this.#decision.toolCall.askFor(tap.info.plugin, `gate/${this.#entry}`, this.#about, request);
  }

  child<S extends AnySchema>(
    tap: LiveTap,
    at: Pick<ChildPlace, 'ordinal' | 'frame'>,
    options: ChildOptions<S>,
  ): Promise<ChildResult<SchemaOutput<S>>> {
    return this.#decision.toolCall.childFor({ place: `gate/${this.#entry}/${tap.key}`, ...at }, options);
  }

  once<T>(tap: LiveTap, _attempt: number, key: string, fn: () => T | Promise<T>): Promise<T> {
    const { plugin } = tap.info;
    return this.#decision.toolCall.onceFor(`gate:${plugin}:${this.#entry}`, plugin, key, fn);
  }

  replaceMessages(tap: LiveTap): void {
    this.#decision.toolCall.replaceMessages(tap);
  }

  /**
   * Identifies this entry of a gate: its questions and `once` results are valid only for the call with the current
   * arguments.
   */
  get #entry(): string {
    const entry = `${this.attempt}.${this.#number}`;
    return this.output === undefined ? entry : `${entry}.${digestOf(this.output)}`;
  }

  get #about(): CallInQuestion {
    const { name, input } = this.#checked.call;
    return this.output === undefined ? { name, input } : { name, input, output: this.output };
  }
}

/** Copies metadata that a gate set to the call; this does not count as an edit. */
function withMetadata(checked: CheckedCall, { metadata }: ToolCall): CheckedCall {
  if (metadata === checked.call.metadata) return checked;
  const { metadata: _, ...call } = checked.call;
  return { ...checked, call: Object.freeze(metadata === undefined ? call : { ...call, metadata }) };
}

function denial(by: string, call: ToolCall, reason: string): ToolResult {
  const text = `The call of ${call.name} was denied by ${by}: ${reason}`;
  return Object.freeze({ ...errorResult(text), denied: Object.freeze({ by, reason }) });
}
