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
import { callOnceKey } from '../../sessions/journal-keys.ts';
import type { ActiveRun } from '../active-run.ts';
import { ask, type Asker } from '../ask.ts';
import { actsAs, isRegistered } from '../offered-tools.ts';
import { once } from '../once.ts';
import { RunView } from '../run-view.ts';
import { acceptCall } from './accept-call.ts';
import { displayOfCall } from './call-display.ts';
import { checkCall, type CallCheck } from './check-call.ts';

/** What a question is about: a call, and what its tool's schema makes of it. */
export type CallInQuestion = Pick<InterruptedCall, 'name' | 'input' | 'output'>;

/** What the gates, the execution and the layers of one tool call share: its run, its questions, what is kept of it. */
export class ToolPassage {
  readonly run: ActiveRun;
  readonly call: ToolCall;
  readonly #tools: readonly Tool[];
  /** The questions of this entry that have no answer. */
  #open: Interrupt | undefined;
  /** The questions that were asked about the call. */
  #asked: Asker['asked'] | undefined;

  #executed: ToolResult | undefined;

  constructor(run: ActiveRun, call: ToolCall, tools: readonly Tool[]) {
    this.run = run;
    this.call = call;
    this.#tools = tools;
  }

  get resumed(): boolean {
    return this.run.resumed;
  }

  /** What decides over whatever else was thrown: that the run was stopped, or the question that the call waits for. */
  get raised(): Error | undefined {
    if (this.run.life.stopped !== undefined) return this.run.life.stopped;
    return this.#open && new InterruptSignal(this.#open);
  }

  throwIfOpen(): void {
    const { raised } = this;
    if (raised !== undefined) throw raised;
  }

  /** What clients are told of a call, if it is one of a tool that was offered. */
  displayOf({ name, input }: JournalledCall): ToolDisplay | undefined | Promise<ToolDisplay> {
    const tool = this.#tools.find((each) => each.name === name);
    return tool === undefined ? undefined : displayOfCall(this.run, tool, input);
  }

  /** What the last execution gave to the layers: when they pass it on, there is nothing to look at. */
  get executed(): ToolResult | undefined {
    return this.#executed;
  }

  noteExecuted(result: ToolResult): void {
    this.#executed = result;
  }

  check(call: ToolCall): CallCheck | Promise<CallCheck> {
    return checkCall(this.#tools, call);
  }

  runFor(tap: LiveTap): WrapRun {
    return RunView.of(this.run, tap.owner);
  }

  acceptRequest(tap: LiveTap, passed: unknown, given: ToolCall): ToolCall {
    return acceptCall(tap, passed, given);
  }

  report(error: ShallotError): void {
    this.run.report(error);
  }

  fail(error: ShallotError): void {
    this.run.fail(error);
  }

  replaceMessages(tap: LiveTap): void {
    throw new ShallotError('OPTION_INVALID', {
      message: `${tap.info.plugin} called scope.replaceMessages in wrapToolCall; it works only in wrapModelCall.`,
      plugin: tap.info.plugin,
      hook: 'wrapToolCall',
    });
  }

  /** Asks about a call. `place` tells the places of one plugin apart; `intent` is that of an execution that asks. */
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
    // One that waits already is not asked more, however often a layer tries again.
    this.throwIfOpen();
    const call = { id: this.call.id, name, input, ...(output === undefined ? {} : { output }) };
    this.#asked ??= new Map();
    try {
      const display = (): ReturnType<ToolPassage['displayOf']> => this.displayOf(call);
      const asker = { plugin, place, call, display, asked: this.#asked };
      return await ask(this.run, intent === undefined ? asker : { ...asker, intent }, request);
    } catch (error) {
      if (error instanceof InterruptSignal) {
        this.#open ??= error.interrupt;
        this.#warnOfUnregistered(name);
      }
      throw error;
    }
  }

  /** Whoever answers does so in vain, since the run cannot be taken up. */
  #warnOfUnregistered(name: string): void {
    const tool = this.#tools.find((each) => each.name === name);
    if (tool === undefined || isRegistered(this.run, tool)) return;
    const { id } = actsAs(this.run, tool);
    const message = `A call of ${name} is waiting for an answer, but the tool was added to the request without being registered, so the run cannot be resumed. Register it with tools.add(tool, { offered: false }).`;
    this.run.warn('TOOL_UNREGISTERED', message, id);
  }

  onceFor<T>(place: string, plugin: string, key: string, fn: () => T | Promise<T>): Promise<T> {
    return once(this.run, callOnceKey(this.call.id, place, key), plugin, fn);
  }
}
