import { describeValue } from '../../base/describe-value.ts';
import { handled } from '../../base/handled.ts';
import type { JsonValue } from '../../base/json.ts';
import type { Schema, SchemaOutput } from '../../base/schema.ts';
import { messageOf } from '../../base/thrown.ts';
import type { Edit, Scope, ToolScope, WrapRun } from '../../contract/hooks.ts';
import type { CallOutput, InterruptRequest } from '../../contract/interrupt.ts';
import { textOf } from '../../contract/messages.ts';
import { checkResult, errorResult, isToolResult } from '../../contract/tool-result.ts';
import type { ToolCall, ToolResult } from '../../contract/tool.ts';
import type { Frame } from '../../hooks/frame.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import type { GateRules, OnionCall } from '../../hooks/onion-call.ts';
import { enterLayer, Passage } from '../../hooks/onion-layer.ts';
import { digestOf } from '../ask.ts';
import { displayOfCheckedCall } from './call-display.ts';
import { outputOf } from './call-output.ts';
import { type CheckedCall, isSameCall } from './check-call.ts';
import type { CallInQuestion, ToolPassage } from './tool-passage.ts';

/** More changes than this to one call, and it is denied: gates that undo each other's edits would never end. */
const maxEdits = 8;

/** Executes a call in a frame of its own, which it settles. */
type Execute = (approved: CheckedCall, frame: Frame) => Promise<ToolResult>;

/**
 * Leads a checked call through the gates, and executes what the last one passes on. After an edit the call is checked
 * again, and all gates are asked about it: the one that edited it only if it is another tool's call now.
 */
export function passGates(
  passage: ToolPassage,
  pass: number,
  checked: CheckedCall,
  frame: Frame,
  execute: Execute,
): Promise<ToolResult> {
  return new GateRound(new Decision(passage, pass, frame, execute), checked, undefined).begin(frame);
}

/** What is known of a change while the gates are asked about it. */
interface PendingEdit extends Edit {
  readonly tap: LiveTap;
  readonly toolChanged: boolean;
}

/** What the gates come to about one execution of a call, however often they are asked. */
class Decision {
  readonly passage: ToolPassage;
  /** The ordinal of the execution. */
  readonly pass: number;
  readonly #frame: Frame;
  readonly #execute: Execute;
  #edits = 0;
  /** Whether the call has been executed: an approval holds for one execution. */
  #executed = false;
  /** What went wrong inside the gates: not theirs to turn into a denial. */
  #failure: { readonly error: unknown } | undefined;

  constructor(passage: ToolPassage, pass: number, frame: Frame, execute: Execute) {
    this.passage = passage;
    this.pass = pass;
    this.#frame = frame;
    this.#execute = execute;
  }

  /** How often the call was changed: each time the gates are entered anew. */
  get edits(): number {
    return this.#edits;
  }

  throwIfOver(): void {
    this.passage.throwIfOpen();
    if (this.#frame.closed) throw this.#frame.reason;
  }

  async execute(checked: CheckedCall, frame: Frame): Promise<ToolResult> {
    if (this.#executed) {
      const by = this.passage.run.chains.wrapToolCall.gates.at(-1)?.info.plugin ?? 'gate';
      return denial(by, checked.call, 'a gate called next again; an approval is valid for one execution');
    }
    this.#executed = true;
    try {
      return await this.#execute(checked, frame);
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  /** Has a call that a gate has changed checked, and all gates asked about it. */
  async change(tap: LiveTap, from: ToolCall, call: ToolCall, outer: Frame): Promise<ToolResult> {
    this.#edits += 1;
    if (this.#edits > maxEdits) return this.#deny(tap, call, `it was changed more than ${maxEdits} times`);
    const checked = await this.passage.check(call);
    if ('result' in checked) return checked.result;
    const edit = { by: tap.info.plugin, from, tap, toolChanged: call.name !== from.name };
    return new GateRound(this, checked, edit).begin(outer);
  }

  /** A gate that fails denies; when the call is executed already, only its result can be withheld. */
  failed(tap: LiveTap, call: ToolCall, error: unknown): ToolResult {
    this.passage.throwIfOpen();
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#frame.closed) throw error;
    if (!this.#executed) return this.#deny(tap, call, `the gate failed: ${messageOf(error)}`, error);
    const { plugin } = tap.info;
    const text = `The call of ${call.name} was executed, but the gate ${plugin} failed on its result: ${messageOf(error)}`;
    this.passage.run.warn('GATE_FAILED', text, plugin);
    tap.owner.log.error({ err: error, callId: call.id }, 'a gate failed on a result; it was withheld');
    return errorResult(text);
  }

  #deny(tap: LiveTap, call: ToolCall, reason: string, error?: unknown): ToolResult {
    const { plugin } = tap.info;
    this.passage.run.warn('GATE_DENIED', `${plugin} denied ${call.name}: ${reason}`, plugin);
    if (error !== undefined)
      tap.owner.log.error({ err: error, callId: call.id }, 'a gate failed; the call was denied');
    return denial(plugin, call, reason);
  }
}

/** The gates, asked about one call: an onion whose layers are the gates. What one of them changes begins another round. */
class GateRound implements OnionCall<ToolCall, ToolResult, JsonValue>, GateRules<ToolCall, ToolResult> {
  readonly restart = undefined;
  readonly origin: Scope['origin'] = undefined;
  readonly gates = this;
  readonly attempt: number;
  readonly edit: Edit | undefined;
  readonly #decision: Decision;
  readonly #checked: CheckedCall;
  readonly #pending: PendingEdit | undefined;
  readonly #passage: Passage<ToolCall, ToolResult, JsonValue>;
  readonly #number: number;
  #output: { readonly known: CallOutput | undefined } | undefined;

  constructor(decision: Decision, checked: CheckedCall, pending: PendingEdit | undefined) {
    this.#decision = decision;
    this.#checked = checked;
    this.#pending = pending;
    this.#number = decision.edits;
    this.attempt = decision.pass;
    if (pending !== undefined) this.edit = Object.freeze({ by: pending.by, from: pending.from });
    const { gates, watch } = decision.passage.run.chains.wrapToolCall;
    this.#passage = new Passage<ToolCall, ToolResult, JsonValue>(gates, watch?.(decision.passage), this);
  }

  begin(outer: Frame): Promise<ToolResult> {
    return this.#enter(0, this.#checked.call, outer);
  }

  pass(index: number, call: ToolCall, outer: Frame): Promise<ToolResult> {
    if (isSameCall(call, this.#checked.call)) return handled(this.#enter(index + 1, call, outer));
    // Only a gate passes on.
    const tap = this.#passage.taps[index] as LiveTap;
    return handled(this.#decision.change(tap, this.#checked.call, call, outer));
  }

  /** The gate that changed the call has agreed to it, unless it is another tool's call now. */
  async #enter(index: number, call: ToolCall, outer: Frame): Promise<ToolResult> {
    this.#decision.throwIfOver();
    const tap = this.#passage.taps[index];
    const hasAgreed = tap !== undefined && tap === this.#pending?.tap && !this.#pending.toolChanged;
    return enterLayer(this.#passage, hasAgreed ? index + 1 : index, call, outer, true, undefined);
  }

  core(call: ToolCall, frame: Frame): Promise<ToolResult> {
    const executed = this.#decision.execute(withMetadata(this.#checked, call), frame);
    return handled(executed.finally(() => frame.settle()));
  }

  rescue(tap: LiveTap, error: unknown): ToolResult {
    return this.#decision.failed(tap, this.#checked.call, error);
  }

  acceptRequest(tap: LiveTap, passed: unknown, given: ToolCall): ToolCall {
    return this.#decision.passage.acceptRequest(tap, passed, given);
  }

  acceptResponse(tap: LiveTap, returned: unknown): ToolResult {
    if (!isToolResult(returned))
      throw new TypeError(`it returned ${describeValue(returned)} instead of a tool result`);
    return checkResult(returned, this.#checked.call.name, tap.info.plugin);
  }

  /** A failure of a gate is no failure of the run. */
  blame(): void {}

  startedOver(): void {}

  report(error: Parameters<ToolPassage['report']>[0]): void {
    this.#decision.passage.report(error);
  }

  fail(error: Parameters<ToolPassage['fail']>[0]): void {
    this.#decision.passage.fail(error);
  }

  // What a gate is told of the call that it decides about

  get run(): ToolPassage['run'] {
    return this.#decision.passage.run;
  }

  get resumed(): boolean {
    return this.#decision.passage.resumed;
  }

  get output(): CallOutput | undefined {
    this.#output ??= { known: outputOf(this.#checked) };
    return this.#output.known;
  }

  get display(): ToolScope['display'] {
    return displayOfCheckedCall(this.#decision.passage.run, this.#checked);
  }

  runFor(tap: LiveTap): WrapRun {
    return this.#decision.passage.runFor(tap);
  }

  async check({
    name,
    input,
  }: Pick<ToolCall, 'name' | 'input'>): ReturnType<NonNullable<ToolScope['check']>> {
    const { id, index } = this.#checked.call;
    const checked = await this.#decision.passage.check({ id, index, name, input });
    return 'result' in checked ? textOf(checked.result) : undefined;
  }

  interrupt<S extends Schema>(tap: LiveTap, request: InterruptRequest<S>): Promise<SchemaOutput<S>> {
    return this.#decision.passage.askFor(tap.info.plugin, `gate/${this.#entry}`, this.#about, request);
  }

  once<T>(tap: LiveTap, _attempt: number, key: string, fn: () => T | Promise<T>): Promise<T> {
    const { plugin } = tap.info;
    return this.#decision.passage.onceFor(`gate:${plugin}:${this.#entry}`, plugin, key, fn);
  }

  replaceMessages(tap: LiveTap): void {
    this.#decision.passage.replaceMessages(tap);
  }

  /** Which entry of a gate this is: what it asks and keeps with `once` holds for the call as it is executed now. */
  get #entry(): string {
    const entry = `${this.attempt}.${this.#number}`;
    return this.output === undefined ? entry : `${entry}.${digestOf(this.output)}`;
  }

  get #about(): CallInQuestion {
    const { name, input } = this.#checked.call;
    return this.output === undefined ? { name, input } : { name, input, output: this.output };
  }
}

/** What a gate says to those further in is no edit. */
function withMetadata(checked: CheckedCall, { metadata }: ToolCall): CheckedCall {
  if (metadata === checked.call.metadata) return checked;
  const { metadata: _, ...call } = checked.call;
  return { ...checked, call: Object.freeze(metadata === undefined ? call : { ...call, metadata }) };
}

function denial(by: string, call: ToolCall, reason: string): ToolResult {
  const text = `The call of ${call.name} was denied by ${by}: ${reason}`;
  return Object.freeze({ ...errorResult(text), denied: Object.freeze({ by, reason }) });
}
