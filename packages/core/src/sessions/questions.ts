import type { JsonValue } from '../base/json.ts';
import type { Answers, Interrupt } from '../contract/interrupt.ts';
import type { Message } from '../contract/messages.ts';
import type { RunRecord } from '../contract/store.ts';
import { inCallOrder } from './interrupts.ts';

const none: readonly Interrupt[] = Object.freeze([]);
const noAnswers: Answers = Object.freeze({});

/** The questions of a run: which are open, which it had when it was taken up, and the answers that were given. */
export class Questions {
  #open: readonly Interrupt[] = none;
  /** Those that were open when the run was taken up, until what asked them has come to its end, or asked again. */
  #before: readonly Interrupt[];
  #answers: Map<string, JsonValue> | undefined;

  constructor(before: readonly Interrupt[] = none, answers: Answers = noAnswers) {
    this.#before = before;
    if (answers !== noAnswers) this.#answers = new Map(Object.entries(answers));
  }

  /** Those that were asked, or left alone, since the run was taken up. */
  get open(): readonly Interrupt[] {
    return this.#open;
  }

  answerTo(id: string): JsonValue | undefined {
    return this.#answers?.get(id);
  }

  /** A live check has refused an answer: the question needs another one. */
  refuseAnswer(id: string): void {
    this.#answers?.delete(id);
  }

  /** The question as it was when the run was taken up, if it was open then. */
  before(id: string): Interrupt | undefined {
    return this.#before.find((asked) => asked.id === id);
  }

  /** Opens a question; false when it is open. `turn` is the model's turn whose calls are being executed. */
  add(interrupt: Interrupt, turn: Message | undefined): boolean {
    if (this.#open.some(({ id }) => id === interrupt.id)) return false;
    this.#open = inCallOrder([...this.#open, interrupt], turn);
    // Who asks on has heard the answers that it had.
    this.#before = this.#before.filter((asked) => !isAskedBy(asked, interrupt.call?.id) || !this.#has(asked));
    return true;
  }

  /**
   * What a call, or without one the before or after hook that asked, is to be left alone for: the questions that it had
   * when the run was taken up, if none of them has an answer.
   */
  unanswered(callId?: string): readonly Interrupt[] {
    if (this.#before.length === 0) return none;
    const asked = this.#before.filter((interrupt) => isAskedBy(interrupt, callId));
    return asked.some((interrupt) => this.#has(interrupt)) ? none : asked;
  }

  /** A call has come to its end, or to a question: of those it had before, only what it asked again is open. */
  settle(callId: string): void {
    if (this.#before.length > 0) this.#before = this.#before.filter((asked) => !isAskedBy(asked, callId));
  }

  /** Withdraws what was asked since the run was taken up. */
  withdraw(): void {
    this.#open = none;
  }

  /** Forgets the answers, and the questions from before: what they were about has come to its end. */
  forget(): void {
    this.#answers = undefined;
    this.#before = none;
  }

  /** Those that wait while a run has this status: unless it has come to its questions again, those from before do, too. */
  of(status: RunRecord['status']): readonly Interrupt[] {
    if (status === 'interrupted' || this.#before.length === 0) return this.#open;
    return [...this.#before, ...this.#open.filter(({ id }) => this.before(id) === undefined)];
  }

  get answers(): Answers {
    return this.#answers === undefined ? noAnswers : Object.fromEntries(this.#answers);
  }

  #has({ id }: Interrupt): boolean {
    return this.#answers?.has(id) === true;
  }
}

function isAskedBy({ call }: Interrupt, callId: string | undefined): boolean {
  return call?.id === callId;
}
