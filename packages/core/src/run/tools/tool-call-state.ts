import { ShallotError } from '../../base/errors.ts';
import { handled } from '../../base/handled.ts';
import type { Schema, SchemaOutput } from '../../base/schema.ts';
import type { WrapRun } from '../../contract/hooks.ts';
import { InterruptSignal } from '../../contract/interrupt-signal.ts';
import type { Interrupt, InterruptedCall, InterruptRequest } from '../../contract/interrupt.ts';
import type { JournalledCall } from '../../contract/store.ts';
import type { ToolDisplay } from '../../contract/tool-display.ts';
import type { Tool, ToolCall, ToolResult } from '../../contract/tool.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import { callOnceKey } from '../../sessions/content/journal-keys.ts';
import { ask, type Asker } from '../ask.ts';
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
  readonly call: ToolCall;
  readonly #tools: readonly Tool[];
  /** The first unanswered question of this call. */
  #open: Interrupt | undefined;
  /** Counts the questions of this call. */
  #asked: Asker['asked'] | undefined;

  /** The journal keys of executions that asked a question without an answer. */
  #asking: Set<string> | undefined;
  #executed: ToolResult | undefined;
  #unsettled = 0;

  constructor(run: RunParts, call: ToolCall, tools: readonly Tool[]) {
    this.run = run;
    this.call = call;
    this.#tools = tools;
  }

  get resumed(): boolean {
    return this.run.terms.resumed;
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

  /** Returns data about the call for clients; undefined if its tool was not offered. */
  displayOf({ name, input }: JournalledCall): ToolDisplay | undefined | Promise<ToolDisplay> {
    const tool = this.#tools.find((each) => each.name === name);
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
      const display = (): ReturnType<ToolCallState['displayOf']> => this.displayOf(call);
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

  /** Warns if the asking tool is not registered: the run could not be resumed with an answer. */
  #warnOfUnregistered(name: string): void {
    const tool = this.#tools.find((each) => each.name === name);
    if (tool === undefined || isRegistered(this.run.plugins, tool)) return;
    const { id } = ownerOfTool(this.run.plugins, tool);
    const message = `A call of ${name} is waiting for an answer, but the tool was added to the request without being registered, so the run cannot be resumed. Register it with tools.add(tool, { offered: false }).`;
    this.run.signs.warn('TOOL_UNREGISTERED', message, id);
  }

  onceFor<T>(place: string, plugin: string, key: string, fn: () => T | Promise<T>): Promise<T> {
    return once(this.run, callOnceKey(this.call.id, place, key), plugin, fn);
  }
}
