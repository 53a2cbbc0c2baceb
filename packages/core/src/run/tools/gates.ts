import { describeValue } from '../../base/describe-value.ts';
import { ShallotError } from '../../base/errors.ts';
import { handled } from '../../base/handled.ts';
import { isPromise } from '../../base/is-promise.ts';
import { messageOf } from '../../base/thrown.ts';
import type { Edit, ToolNext, ToolScope, WrapRun } from '../../contract/hooks.ts';
import type { CallOutput } from '../../contract/interrupt.ts';
import { textOf } from '../../contract/messages.ts';
import { checkResult, errorResult, isToolResult } from '../../contract/tool-result.ts';
import type { ToolCall, ToolResult } from '../../contract/tool.ts';
import type { Frame } from '../../hooks/frame.ts';
import { inHookTime } from '../../hooks/in-hook-time.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import type { Stretch } from '../../hooks/waits.ts';
import type { Watcher } from '../../hooks/watcher.ts';
import { digestOf } from '../ask.ts';
import { outputOf } from './call-output.ts';
import { type CheckedCall, isSameCall } from './check-call.ts';
import type { CallInQuestion, ToolPassage } from './tool-passage.ts';

/** More changes than this to one call, and it is denied: gates that undo each other's edits would never end. */
const maxEdits = 8;

type Execute = (approved: CheckedCall) => Promise<ToolResult>;

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
  const { gates } = passage.run.chains.wrapToolCall;
  if (gates.length === 0) return execute(checked);
  return new GatePassage(passage, pass, gates, frame, execute).enter(0, checked, undefined);
}

/** What is known of a change while the gates are asked about it. */
interface PendingEdit extends Edit {
  readonly tap: LiveTap;
  readonly toolChanged: boolean;
}

class GatePassage {
  readonly passage: ToolPassage;
  /** The ordinal of the execution that is decided about. */
  readonly pass: number;
  readonly frame: Frame;
  readonly #gates: readonly LiveTap[];
  readonly #execute: Execute;
  readonly #watcher: Watcher | undefined;
  /** How often the call was changed: each time the gates are entered anew. */
  edits = 0;
  /** Whether the call has been executed: an approval holds for one execution. */
  #executed = false;
  /** What went wrong inside the gates: not theirs to turn into a denial. */
  #failure: { readonly error: unknown } | undefined;

  constructor(passage: ToolPassage, pass: number, gates: readonly LiveTap[], frame: Frame, execute: Execute) {
    this.passage = passage;
    this.pass = pass;
    this.frame = frame;
    this.#gates = gates;
    this.#execute = execute;
    this.#watcher = passage.run.chains.wrapToolCall.watch?.(passage);
  }

  async enter(index: number, checked: CheckedCall, edit: PendingEdit | undefined): Promise<ToolResult> {
    this.passage.throwIfOpen();
    if (this.frame.closed) throw this.frame.reason;
    const tap = this.#gates[index];
    if (tap === undefined) return this.#executeOnce(checked);
    if (edit !== undefined && edit.tap === tap && !edit.toolChanged)
      return this.enter(index + 1, checked, edit);
    const scope = new GateScope(this, tap, checked, edit);
    const observer = this.#watcher?.tap(tap, checked.call, scope.run, scope);
    const next: ToolNext = (passed) => {
      observer?.next(passed);
      const inner = scope.pass(() => this.#pass(index, tap, checked, edit, passed));
      if (observer !== undefined) {
        inner.then(
          (result) => observer.back(result),
          (error: unknown) => observer.back(undefined, error),
        );
      }
      return inner;
    };
    try {
      const { fn, wantsPromise } = tap.registration;
      const returned = (fn as (...args: unknown[]) => unknown)(checked.call, next, scope);
      if (wantsPromise && !isPromise(returned)) {
        throw new TypeError(`it returned ${describeValue(returned)} instead of a promise`);
      }
      const settled: unknown = await returned;
      scope.settle();
      if (!isToolResult(settled))
        throw new TypeError(`it returned ${describeValue(settled)} instead of a tool result`);
      const result = checkResult(settled, checked.call.name, tap.info.plugin);
      observer?.done(result);
      return result;
    } catch (error) {
      scope.settle();
      observer?.done(undefined, error);
      this.passage.throwIfOpen();
      if (this.#failure !== undefined) throw this.#failure.error;
      if (this.frame.closed) throw error;
      return this.#fail(tap, checked.call, error);
    }
  }

  async #pass(
    index: number,
    tap: LiveTap,
    checked: CheckedCall,
    edit: PendingEdit | undefined,
    passed: unknown,
  ): Promise<ToolResult> {
    const call = this.passage.acceptRequest(tap, passed, checked.call);
    if (isSameCall(call, checked.call)) return this.enter(index + 1, withMetadata(checked, call), edit);
    this.edits += 1;
    if (this.edits > maxEdits) return this.#deny(tap, call, `it was changed more than ${maxEdits} times`);
    const again = await this.passage.check(call);
    if ('result' in again) return again.result;
    const from = checked.call;
    return this.enter(0, again, { by: tap.info.plugin, from, tap, toolChanged: call.name !== from.name });
  }

  async #executeOnce(checked: CheckedCall): Promise<ToolResult> {
    if (this.#executed) {
      const by = this.#gates.at(-1)?.info.plugin ?? 'gate';
      return denial(by, checked.call, 'a gate called next again; an approval holds for one execution');
    }
    this.#executed = true;
    try {
      return await this.#execute(checked);
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  /** A gate that fails denies; when the call is executed already, only its result can be withheld. */
  #fail(tap: LiveTap, call: ToolCall, error: unknown): ToolResult {
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

/** What a gate is told of the call that it decides about. */
class GateScope implements ToolScope {
  readonly emit = undefined;
  readonly attempt: number;
  readonly edit?: Edit;
  /** The gate as something that the run waits for. */
  readonly #stretch: { -readonly [K in keyof Stretch]: Stretch[K] };
  readonly #gates: GatePassage;
  readonly #tap: LiveTap;
  readonly #checked: CheckedCall;
  #output: { readonly known: CallOutput | undefined } | undefined;
  readonly #edits: number;
  #settled = false;
  /** How often `next` was called, and has not settled. */
  #inside = 0;

  constructor(gates: GatePassage, tap: LiveTap, checked: CheckedCall, edit: PendingEdit | undefined) {
    this.#gates = gates;
    this.#tap = tap;
    this.#checked = checked;
    this.attempt = gates.pass;
    this.#edits = gates.edits;
    if (edit !== undefined) this.edit = Object.freeze({ by: edit.by, from: edit.from });
    const { plugin, name } = tap.info;
    this.#stretch = {
      plugin,
      scope: this,
      what: `the gate "${name}"`,
      isPassed: false,
      since: undefined,
    };
    gates.passage.run.waits.enter(this.#stretch);
  }

  get run(): WrapRun {
    return this.#gates.passage.runFor(this.#tap);
  }

  get resumed(): boolean {
    return this.#gates.passage.resumed;
  }

  get signal(): AbortSignal {
    return this.#gates.frame.signal;
  }

  get output(): CallOutput | undefined {
    this.#output ??= { known: outputOf(this.#checked) };
    return this.#output.known;
  }

  /** Which entry of the gate this is: what it asks and keeps with `once` holds for the call as it is executed now. */
  get #entry(): string {
    const entry = `${this.attempt}.${this.#edits}`;
    return this.output === undefined ? entry : `${entry}.${digestOf(this.output)}`;
  }

  settle(): void {
    this.#settled = true;
    this.#gates.passage.run.waits.leave(this.#stretch);
  }

  /** Goes further in, unless the gate has already decided. */
  pass(enter: () => Promise<ToolResult>): Promise<ToolResult> {
    const inner = this.#settled ? Promise.reject(this.#late()) : enter();
    // A gate that does not wait for what it let through must not leave a rejection behind.
    const stretch = this.#stretch;
    const back = (): void => {
      this.#inside -= 1;
      stretch.isPassed = this.#inside > 0;
    };
    this.#inside += 1;
    stretch.isPassed = true;
    stretch.since = inner;
    inner.then(back, back);
    return inner;
  }

  #late(): ShallotError {
    const { plugin, hook } = this.#tap.info;
    const error = new ShallotError('NEXT_LATE', {
      message: `${plugin} called next after its gate had settled; the call was not executed. Await next, or return what it gives.`,
      plugin,
      hook,
    });
    this.#gates.passage.report(error);
    return error;
  }

  get check(): NonNullable<ToolScope['check']> {
    return async ({ name, input }) => {
      const { id, index } = this.#checked.call;
      const checked = await this.#gates.passage.check({ id, index, name, input });
      return 'result' in checked ? textOf(checked.result) : undefined;
    };
  }

  get #about(): CallInQuestion {
    const { name, input } = this.#checked.call;
    return this.output === undefined ? { name, input } : { name, input, output: this.output };
  }

  get interrupt(): ToolScope['interrupt'] {
    const { passage } = this.#gates;
    return (request) =>
      this.over
        ? handled(Promise.reject(this.#late()))
        : passage.askFor(this.#tap.info.plugin, `gate/${this.#entry}`, this.#about, request);
  }

  get once(): ToolScope['once'] {
    const { passage } = this.#gates;
    const { plugin } = this.#tap.info;
    return (key, fn) =>
      this.over
        ? handled(Promise.reject(this.#late()))
        : passage.onceFor(`gate:${plugin}:${this.#entry}`, plugin, key, () =>
            this.#gates.passage.run.waits.around(this.#portion(`once("${key}")`), fn),
          );
  }

  get inTime(): ToolScope['inTime'] {
    const { run } = this.#gates.passage;
    return (what, fn) =>
      this.over
        ? handled(Promise.reject(this.#late()))
        : inHookTime(run, this.#tap, { what, scope: this }, fn);
  }

  get asking(): ToolScope['asking'] {
    return (fn) => handled(this.#gates.passage.run.waits.during(this.#portion(), fn));
  }

  #portion(what?: string): Stretch {
    const { plugin } = this.#tap.info;
    return { plugin, scope: this, ...(what === undefined ? {} : { what }) };
  }

  /** A gate that was given up, or has decided, must not touch the record any more. */
  get over(): boolean {
    return this.#settled || this.#gates.frame.over;
  }

  get replaceMessages(): ToolScope['replaceMessages'] {
    return () => this.#gates.passage.replaceMessages(this.#tap);
  }
}
