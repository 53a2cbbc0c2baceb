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
import type { LastWord } from './verdict.ts';

/** The progress of a run: the part of its record that a resume continues from. */
export class Progress {
  readonly startedAt: number;
  readonly usageBefore: RunUsage;
  #step: number;
  #usage: RunUsage;
  /** A function while the position is likely to change, since most positions are never stored. */
  #position: RunPosition | (() => RunPosition);
  /** The position from which the model was asked. */
  #asked: RunPosition;
  #stopReason: StopReason | undefined;
  #firstMessage: string | undefined;
  #firstIndex: number | undefined;
  #inputLength = 0;
  #input: readonly Message[];
  #isInputTaken: boolean;
  #stepStart = 0;
  #isChoiceMet: boolean;
  #edge: { readonly text: string } | undefined;

  /** `record` is that of a resumed run, `last` the session's last run. */
  constructor(record: RunRecord | undefined, last: RunRecord | undefined) {
    this.#step = record?.step ?? 0;
    this.#usage = record?.usage ?? noUsage;
    const position = record?.position ?? { at: 'input', input: [] };
    this.#position = position;
    this.#asked = askedAt(position);
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

  get usage(): RunUsage {
    return this.#usage;
  }

  /** The position from which a resume continues. */
  get position(): RunPosition {
    const position = this.#position;
    return typeof position === 'function' ? position() : position;
  }

  /**
   * The position from which the model is asked again after an unusable response, without calling `beforeModel` twice.
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

  /** The index of the run's first message in the session; undefined for a resumed run. */
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
  }

  /** Notes that a response from before the resume is streamed. */
  show(edge: { readonly text: string }): void {
    this.#edge = edge;
  }

  /** Forgets the streamed text: it is part of the session, or must not be stored. */
  settleShown(): void {
    this.#edge = undefined;
  }

  /** Sets the position, which the next commit stores. */
  moveTo(position: RunPosition | (() => RunPosition)): void {
    this.#position = position;
  }

  /** Moves the run to its end. */
  end(reason: StopReason, last?: Pick<LastWord, 'message' | 'finish'>): void {
    this.#stopReason = reason;
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

/**
 * Returns the position from which the stored response was requested: its stored request, or else the start of the step.
 */
function askedAt(position: RunPosition): RunPosition {
  if (position.at !== 'afterModel' || position.request === undefined) return { at: 'step', begun: true };
  return { at: 'wrapModelCall', value: position.request };
}
