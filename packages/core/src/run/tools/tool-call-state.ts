import type { CallAddress } from '../../base/address.ts';
import { ShallotError } from '../../base/errors.ts';
import { handled } from '../../base/handled.ts';
import type { AnySchema, Schema, SchemaOutput } from '../../base/schema.ts';
import type { WrapRun } from '../../contract/hooks.ts';
import { InterruptSignal } from '../../contract/interrupt-signal.ts';
import type { Interrupt, InterruptedCall, InterruptRequest } from '../../contract/interrupt.ts';
import type { JournalledCall } from '../../contract/store.ts';
import type { ToolDisplay } from '../../contract/tool-display.ts';
import type { Tool, ToolCall, ToolResult } from '../../contract/tool.ts';
import type { ChildOptions, ChildResult } from '../../contract/work/child.ts';
import { Frame } from '../../hooks/frame.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import { callOnceKey } from '../../sessions/content/journal-keys.ts';
import { callAddressOf } from '../address-of.ts';
import { ask, openUnder, type Asker, type CallDisplay } from '../ask.ts';
import type { BackgroundChildren, BackgroundPlace } from '../children/background-children.ts';
import { checkChildOptions, runChild, type ChildOutcome, type ChildPlace } from '../children/run-child.ts';
import { ownerOfTool, isRegistered } from '../offered-tools.ts';
import { once } from '../once.ts';
import type { RunParts } from '../run-parts.ts';
import { acceptCall } from './accept-call.ts';
import { displayOfCall } from './call-display.ts';
import { checkCall, type CallCheck } from './check-call.ts';

/** The subject of a question: a call, with its arguments as the schema transformed them. */
export type CallInQuestion = Pick<InterruptedCall, 'name' | 'input' | 'output'>;

/** The state that the layers, the gates and the execution of one tool call share. */
export class ToolCallState {
  readonly run: RunParts;
  /** The children of the run. */
  readonly children: BackgroundChildren;
  readonly call: ToolCall;
  readonly #tools: readonly Tool[];
  /** The first unanswered question of this call. */
  #open: Interrupt | undefined;
  /** Counts the questions of this call. */
  #asked: Asker['asked'] | undefined;

  /** The journal keys of executions that asked a question without an answer. */
  #asking: Set<string> | undefined;
  #executed: ToolResult | undefined;
  /** The children in progress, by their frames; created with the first child. */
  #ownChildren: Map<Frame, Promise<unknown>> | undefined;
  #unsettled = 0;

  constructor(run: RunParts, children: BackgroundChildren, call: ToolCall, tools: readonly Tool[]) {
    this.run = run;
    this.children = children;
    this.call = call;
    this.#tools = tools;
  }

  get address(): CallAddress {
    return callAddressOf(this.run.terms, this.run.record, this.call.id);
  }

  get resumed(): boolean {
    return this.run.record.isResumed;
  }

  /** The error that takes precedence over all others: the stop of the run, or the open question of the call. */
  get raised(): Error | undefined {
    if (this.run.life.stopped !== undefined) return this.run.life.stopped;
    return this.#open && new InterruptSignal(this.#open);
  }

  get hasOpenQuestion(): boolean {
    return this.#open !== undefined;
  }

  throwIfOpen(): void {
    const { raised } = this;
    if (raised !== undefined) throw raised;
  }

  /** Returns true if this execution asked a question without an answer, so that a resume repeats it. */
  isAsking(key: string): boolean {
    return this.#asking?.has(key) === true;
  }

  /** Returns an offered tool by its name; undefined if there is none. */
  toolNamed(name: string): Tool | undefined {
    return this.#tools.find((each) => each.name === name);
  }

  /** Returns data about the call for clients; undefined if its tool was not offered. */
  displayOf({ name, input }: JournalledCall): ToolDisplay | undefined | Promise<ToolDisplay> {
    const tool = this.toolNamed(name);
    return tool === undefined ? undefined : displayOfCall(this.run, tool, input);
  }

  /** The result of the last execution. Layers that return it unchanged need no validation. */
  get executed(): ToolResult | undefined {
    return this.#executed;
  }

  noteExecuted(result: ToolResult): void {
    this.#executed = result;
  }

  /** The number of executions that failed with a transient error; a retry reuses their ordinal. */
  get unsettled(): number {
    return this.#unsettled;
  }

  noteUnsettled(): void {
    this.#unsettled += 1;
  }

  check(call: ToolCall): CallCheck | Promise<CallCheck> {
    return checkCall(this.#tools, call);
  }

  runFor(tap: LiveTap): WrapRun {
    return this.run.plugins.viewFor(tap.owner);
  }

  acceptRequest(tap: LiveTap, passed: unknown, given: ToolCall): ToolCall {
    return acceptCall(tap, passed, given);
  }

  report(error: ShallotError): void {
    this.run.signs.report(error);
  }

  fail(error: ShallotError): void {
    this.run.life.fail(error);
  }

  replaceMessages(tap: LiveTap): void {
    throw new ShallotError('OPTION_INVALID', {
      message: `${tap.info.plugin} called scope.replaceMessages in wrapToolCall; it works only in wrapModelCall.`,
      plugin: tap.info.plugin,
      hook: 'wrapToolCall',
    });
  }

  /**
   * Asks a question about the call. `place` identifies the place within the plugin; `intent` is the journal key of an
   * execution that asks.
   */
  askFor<S extends Schema>(
    plugin: string,
    place: unknown,
    about: CallInQuestion,
    request: InterruptRequest<S>,
    intent?: string,
  ): Promise<SchemaOutput<S>> {
    return handled(this.#ask(plugin, place, about, request, intent));
  }

  async #ask<S extends Schema>(
    plugin: string,
    place: unknown,
    { name, input, output }: CallInQuestion,
    request: InterruptRequest<S>,
    intent?: string,
  ): Promise<SchemaOutput<S>> {
    const call = { id: this.call.id, name, input, ...(output === undefined ? {} : { output }) };
    this.#asked ??= new Map();
    try {
      // A call with an open question asks nothing else, however often a layer retries it.
      this.throwIfOpen();
      const display = (): Promise<CallDisplay | undefined> => this.#shownTo(place, call);
      const asker = { plugin, place, call, display, asked: this.#asked };
      return await ask(this.run, intent === undefined ? asker : { ...asker, intent }, request);
    } catch (error) {
      if (error instanceof InterruptSignal) {
        if (intent !== undefined) (this.#asking ??= new Set()).add(intent);
        if (this.#open === undefined) this.#warnOfUnregistered(name);
        this.#open ??= error.interrupt;
      }
      throw error;
    }
  }

  /**
   * Returns data about the call. For a question of a gate, it includes the schema of the arguments, since the answer may
   * edit them.
   */
  async #shownTo(place: unknown, call: JournalledCall): Promise<CallDisplay | undefined> {
    const display = await this.displayOf(call);
    const tool = this.toolNamed(call.name);
    const isGate = typeof place === 'string' && place.startsWith('gate/');
    return (
      display && (isGate && tool !== undefined ? { ...display, inputSchema: tool.inputSchema } : display)
    );
  }

  /** Warns if the asking tool is not registered: the run could not be resumed with an answer. */
  #warnOfUnregistered(name: string): void {
    const tool = this.toolNamed(name);
    if (tool === undefined || isRegistered(this.run.plugins, tool)) return;
    const { id } = ownerOfTool(this.run.plugins, tool);
    const message = `A call of ${name} is waiting for an answer, but the tool was added to the request without being registered, so the run cannot be resumed. Register it with tools.add(tool, { offered: false }).`;
    this.run.signs.warn('TOOL_UNREGISTERED', message, id);
  }

  /** Runs a child for this call; the child's questions become questions of the call. */
  childFor<S extends AnySchema>(
    at: Pick<ChildPlace, 'place' | 'ordinal' | 'frame'> & { readonly intent?: string },
    options: ChildOptions<S>,
  ): Promise<ChildResult<SchemaOutput<S>>> {
    return handled(this.#runChild(at, options));
  }

  async #runChild<S extends AnySchema>(
    at: Pick<ChildPlace, 'place' | 'ordinal' | 'frame'> & { readonly intent?: string },
    options: ChildOptions<S>,
  ): Promise<ChildResult<SchemaOutput<S>>> {
    this.throwIfOpen();
    checkChildOptions(options);
    const parts = this.children.partsOf(options.agent, this.#tools);
    // Closed with the frame of the code that began the child, and at the end of the call.
    const frame = new Frame();
    at.frame.onClose((reason) => frame.close(reason));
    const place: ChildPlace = { ...at, frame, call: this.call, parts };
    const running = runChild(this.run, this.children, place, options);
    const children = (this.#ownChildren ??= new Map());
    children.set(frame, running);
    let outcome: ChildOutcome<SchemaOutput<S>>;
    try {
      outcome = await running;
    } finally {
      children.delete(frame);
    }
    if ('result' in outcome) return outcome.result;
    const first = await openUnder(this.run, this.call.id, outcome.waiting, at.intent);
    if (first === undefined) throw noQuestion(this.call.name);
    if (at.intent !== undefined) (this.#asking ??= new Set()).add(at.intent);
    this.#open ??= first;
    // Other children of the call continue to their ends or questions.
    await Promise.allSettled(children.values());
    throw new InterruptSignal(first);
  }

  /** Begins a child in the background. */
  beginChild(
    at: Pick<BackgroundPlace, 'place' | 'ordinal' | 'tool'>,
    options: Omit<ChildOptions, 'output'>,
  ): Promise<string> {
    this.throwIfOpen();
    checkChildOptions(options);
    return this.children.begin({ ...at, call: this.call, offered: this.#tools }, options);
  }

  /** Aborts the children that the call left running. */
  leaveChildren(): void {
    for (const frame of this.#ownChildren?.keys() ?? [])
      frame.close(new Error(`the call of ${this.call.name} has ended`));
  }

  onceFor<T>(place: string, plugin: string, key: string, fn: () => T | Promise<T>): Promise<T> {
    return once(this.run, callOnceKey(this.call.id, place, key), plugin, fn);
  }
}

/** Returns the error for a child that was interrupted without a question. */
function noQuestion(tool: string): ShallotError {
  const message = `A child of a call of ${tool} was interrupted without a question. Report this with the stored session.`;
  return new ShallotError('INTERNAL', { message });
}
