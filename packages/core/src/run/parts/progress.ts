import type { Message } from '../../contract/messages.ts';
import type { StopReason } from '../../contract/result.ts';
import type { RunPosition, RunRecord } from '../../contract/store.ts';
import {
  countUsage,
  noUsage,
  sumUsage,
  type CallCount,
  type RunUsage,
  type Usage,
} from '../../contract/usage.ts';
import { ChildTally } from './child-tally.ts';
import type { LastWord } from './verdict.ts';

/** The progress of a run: the part of its record that a resume continues from. */
export class Progress {
  readonly startedAt: number;
  readonly usageBefore: RunUsage;
  #step: number;
  #usage: RunUsage;
  /** The usage before the current model call, until its response is part of the position. */
  #beforeAsk: RunUsage | undefined;
  /** A function while the position is likely to change, since most positions are never stored. */
  #position: RunPosition | (() => RunPosition);
  /** The position from which the model was asked. */
  #asked: RunPosition = { at: 'step', begun: true };
  #stopReason: StopReason | undefined;
  #firstMessage: string | undefined;
  #firstIndex: number | undefined;
  #inputLength = 0;
  #input: readonly Message[];
  #isInputTaken: boolean;
  #stepStart = 0;
  #isChoiceMet: boolean;
  #edge: { readonly text: string } | undefined;
  /** Created when the run begins a child. */
  #children: ChildTally | undefined;

  /** `record` is the record of a resumed run; `last` is the record of the session's last run. */
  constructor(record: RunRecord | undefined, last: RunRecord | undefined) {
    this.#step = record?.step ?? 0;
    this.#usage = record?.children?.own ?? record?.usage ?? noUsage;
    if (record?.children !== undefined) this.#children = new ChildTally(record.children);
    const position = record?.position ?? { at: 'input', input: [] };
    this.#position = position;
    // The stored request of a response, so that the model can be asked again.
    if (position.at === 'afterModel' && position.request !== undefined)
      this.#asked = { at: 'wrapModelCall', value: position.request };
    this.#firstMessage = record?.firstMessage;
    this.#isChoiceMet = record?.toolChoice?.met === true;
    this.#input = position.at === 'input' ? position.input : [];
    this.#isInputTaken = position.at !== 'input';
    // An interrupted run drops its stop reason on resume; a run that died at its end keeps it.
    this.#stopReason = position.at === 'end' ? record?.stopReason : undefined;
    this.startedAt = record?.startedAt ?? Date.now();
    this.usageBefore =
      record?.usageBefore ?? (last === undefined ? noUsage : sumUsage(last.usageBefore, last.usage));
  }

  /** The number of the current step, from 1. */
  get step(): number {
    return this.#step;
  }

  /** Including the usage of the run's children. */
  get usage(): RunUsage {
    return this.#children === undefined ? this.#usage : this.#children.sum(this.#usage);
  }

  get children(): ChildTally {
    this.#children ??= new ChildTally();
    return this.#children;
  }

  /** True while there are children in the background. */
  get hasBackground(): boolean {
    return this.#children !== undefined && this.#children.background.size > 0;
  }

  /** The children that no call in progress has entered, and that may not be over. */
  get leftChildren(): readonly string[] {
    return this.#children?.left ?? [];
  }

  /** Notes that a child in the background is over. */
  dropChild(childId: string): void {
    this.#usage = this.children.drop(this.#usage, childId);
  }

  /** The usage without a model call whose response is not part of the position: after a crash, that call is repeated. */
  get settledUsage(): RunUsage {
    const own = this.#beforeAsk ?? this.#usage;
    return this.#children === undefined ? own : this.#children.sum(own);
  }

  /** Returns the usage and the children in the form that a record with this status stores. */
  usageRecord(status: RunRecord['status']): Pick<RunRecord, 'usage' | 'children'> {
    const own = status === 'running' ? (this.#beforeAsk ?? this.#usage) : this.#usage;
    if (this.#children === undefined) return { usage: own };
    return { usage: this.#children.sum(own), children: this.#children.toRecord(own) };
  }

  /**
   * Includes the current model call in the stored usage, because a layer around it commits the result of a `once`, which
   * may depend on the call's answers.
   */
  keepAsked(): void {
    if (this.#beforeAsk !== undefined) this.#beforeAsk = this.#usage;
  }

  /**
   * Adds the usage of children that cannot be entered again to the run's own usage, and forgets these children: with
   * `callId`, those of this call that ended with a result; without it, all. Children in the background are kept.
   */
  settleChildren(callId?: string): void {
    if (this.#children !== undefined) this.#usage = this.#children.settle(this.#usage, callId);
  }

  /** The position from which a resume continues. */
  get position(): RunPosition {
    const position = this.#position;
    return typeof position === 'function' ? position() : position;
  }

  /**
   * The position to return to after an unusable response: the model is asked again, without calling `beforeModel` twice.
   */
  get asked(): RunPosition {
    return this.#asked;
  }

  get stopReason(): StopReason | undefined {
    return this.#stopReason;
  }

  get firstMessage(): string | undefined {
    return this.#firstMessage;
  }

  /** True once the forcing `toolChoice` of the run was met by a tool call. */
  get isChoiceMet(): boolean {
    return this.#isChoiceMet;
  }

  /** The number of input messages; 0 if a resumed run had taken its input before. */
  get inputLength(): number {
    return this.#inputLength;
  }

  /** The index of the run's first message in the session; undefined unless this process took the input. */
  get firstIndex(): number | undefined {
    return this.#firstIndex;
  }

  /** The input; part of the record until it is committed. */
  get input(): readonly Message[] {
    return this.#input;
  }

  /** True once the input is part of the session. */
  get isInputTaken(): boolean {
    return this.#isInputTaken;
  }

  /** The index of the current step's first message in the session. */
  get stepStart(): number {
    return this.#stepStart;
  }

  /** The streamed text of a response that is not part of the session yet. */
  get shown(): string | undefined {
    return this.#edge?.text;
  }

  /** Begins a new run with this input. */
  begin(input: readonly Message[]): void {
    this.#input = input;
    this.#position = { at: 'input', input };
  }

  /** Replaces the input on behalf of a hook. */
  replaceInput(input: readonly Message[]): void {
    this.#input = input;
  }

  /** Notes the input as part of the session, which has `length` messages before it, and moves to the first step. */
  takeInput(messages: readonly Message[], length: number): void {
    this.#firstMessage = messages[0]?.id;
    this.#firstIndex = length;
    this.#inputLength = messages.length;
    this.#isInputTaken = true;
    this.#stepStart = length;
    this.#position = { at: 'step' };
  }

  beginStep(): void {
    this.#step += 1;
    this.#position = { at: 'step', begun: true };
  }

  /**
   * Notes that the model is asked in a session of `length` messages; `edge` collects the streamed text, if there is a
   * listener.
   */
  ask(length: number, edge: { readonly text: string } | undefined): void {
    this.#stepStart = length;
    this.#edge = edge;
    this.#asked = this.position;
    this.#beforeAsk = this.#usage;
  }

  /** Notes that a stored response of a resumed run is being streamed. */
  show(edge: { readonly text: string }): void {
    this.#edge = edge;
  }

  /** Forgets the streamed text: it is part of the session, or must not be stored. */
  forgetShown(): void {
    this.#edge = undefined;
  }

  /** Sets the position, which the next commit stores. */
  moveTo(position: RunPosition | (() => RunPosition)): void {
    this.#position = position;
    this.#beforeAsk = undefined;
  }

  /** Moves the run to its end. */
  end(reason: StopReason, last?: Pick<LastWord, 'message' | 'finish'>): void {
    this.#stopReason = reason;
    this.#beforeAsk = undefined;
    if (last === undefined) this.#position = { at: 'end' };
    else if (last.finish === undefined) this.#position = { at: 'end', message: last.message.id };
    else this.#position = { at: 'end', message: last.message.id, finish: last.finish };
  }

  /** Sets the stop reason without changing the position. */
  stopFor(reason: StopReason): void {
    this.#stopReason = reason;
  }

  meetChoice(): void {
    this.#isChoiceMet = true;
  }

  count(usage: Usage | undefined, call: CallCount): void {
    this.#usage = countUsage(this.#usage, usage, call);
  }
}
