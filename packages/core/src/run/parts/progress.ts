import type { Message } from '../../contract/messages.ts';
import type { StopReason } from '../../contract/result.ts';
import type { RunPosition, RunRecord } from '../../contract/store.ts';
import { countUsage, noUsage, sumUsage, type RunUsage, type Usage } from '../../contract/usage.ts';
import type { LastWord } from './verdict.ts';

/** How far a run has come: what is in its record, and takes it up again. */
export class Progress {
  readonly startedAt: number;
  readonly usageBefore: RunUsage;
  #step: number;
  #usage: RunUsage;
  #position: RunPosition;
  #stopReason: StopReason | undefined;
  #firstMessage: string | undefined;
  #firstIndex: number | undefined;
  #inputLength = 0;
  #input: readonly Message[];
  #stepStart = 0;
  #isChoiceMet: boolean;
  #edge: { readonly text: string } | undefined;

  /** Of a new run, or of the one that the record is of; `last` is the session's last run. */
  constructor(record: RunRecord | undefined, last: RunRecord | undefined) {
    this.#step = record?.step ?? 0;
    this.#usage = record?.usage ?? noUsage;
    this.#position = record?.position ?? { at: 'input', input: [] };
    this.#firstMessage = record?.firstMessage;
    this.#isChoiceMet = record?.toolChoice?.met === true;
    this.#input = this.#position.at === 'input' ? this.#position.input : [];
    // An interrupted run stopped for a reason that holds no more; one that died at its end keeps its reason.
    this.#stopReason = this.#position.at === 'end' ? record?.stopReason : undefined;
    this.startedAt = record?.startedAt ?? Date.now();
    this.usageBefore =
      record?.usageBefore ?? (last === undefined ? noUsage : sumUsage(last.usageBefore, last.usage));
  }

  /** The number of the current step. */
  get step(): number {
    return this.#step;
  }

  get usage(): RunUsage {
    return this.#usage;
  }

  /** Where the run goes on when it is taken up. */
  get position(): RunPosition {
    return this.#position;
  }

  get stopReason(): StopReason | undefined {
    return this.#stopReason;
  }

  get firstMessage(): string | undefined {
    return this.#firstMessage;
  }

  /** Whether a tool was called, as the run's `toolChoice` wants it. */
  get isChoiceMet(): boolean {
    return this.#isChoiceMet;
  }

  /** How many messages the input has; 0 if it was taken before the run was resumed. */
  get inputLength(): number {
    return this.#inputLength;
  }

  /** Where the first message was put, of a run that was not taken up. */
  get firstIndex(): number | undefined {
    return this.#firstIndex;
  }

  /** The input, until it is committed. */
  get input(): readonly Message[] {
    return this.#input;
  }

  /** Where the messages of the current step begin. */
  get stepStart(): number {
    return this.#stepStart;
  }

  /** What was streamed of an answer that is no part of the session. */
  get shown(): string | undefined {
    return this.#edge?.text;
  }

  /** The run begins with this input. */
  begin(input: readonly Message[]): void {
    this.#input = input;
    this.#position = { at: 'input', input };
  }

  /** A hook has put other messages in the place of the input. */
  replaceInput(input: readonly Message[]): void {
    this.#input = input;
  }

  /** The input becomes part of a session of this length; the run stands before its first step. */
  takeInput(messages: readonly Message[], length: number): void {
    this.#firstMessage = messages[0]?.id;
    this.#firstIndex = length;
    this.#inputLength = messages.length;
    this.#stepStart = length;
    this.#position = { at: 'step' };
  }

  beginStep(): void {
    this.#step += 1;
    this.#position = { at: 'step', begun: true };
  }

  /** The model is asked, in a session of this length; `edge` is where its answer is streamed to, if somebody listens. */
  ask(length: number, edge: { readonly text: string } | undefined): void {
    this.#stepStart = length;
    this.#edge = edge;
  }

  /** An answer from before is streamed. */
  show(edge: { readonly text: string }): void {
    this.#edge = edge;
  }

  /** What was streamed is part of the session, or nothing of it is to be kept. */
  settleShown(): void {
    this.#edge = undefined;
  }

  moveTo(position: RunPosition): void {
    this.#position = position;
  }

  /** The run has come to its end for this reason, with this as its last word. */
  end(reason: StopReason, last?: Pick<LastWord, 'message' | 'finish'>): void {
    this.#stopReason = reason;
    if (last === undefined) this.#position = { at: 'end' };
    else if (last.finish === undefined) this.#position = { at: 'end', message: last.message.id };
    else this.#position = { at: 'end', message: last.message.id, finish: last.finish };
  }

  /** The run stops where it stands. */
  stopFor(reason: StopReason): void {
    this.#stopReason = reason;
  }

  meetChoice(): void {
    this.#isChoiceMet = true;
  }

  /** Counts a model call; `plugin` is the one that made it for itself. */
  count(usage: Usage | undefined, plugin: string | undefined): void {
    this.#usage = countUsage(this.#usage, usage, plugin);
  }
}
