import type { JsonValue } from '../../base/json.ts';
import type { AnswerNote, Answers, Interrupt } from '../../contract/interrupt.ts';
import { toolCallsOf, type Message } from '../../contract/messages.ts';
import type { RunRecord } from '../../contract/store.ts';
import { askerOf } from '../content/open-interrupts.ts';
import { givenAnswers, withAnswers } from './given-answers.ts';

export const none: readonly Interrupt[] = Object.freeze([]);
export const noAnswers: Answers = Object.freeze({});
const noneGiven: GivenTo = Object.freeze({ answers: noAnswers });

/** The answers that a run has been given, and who gave them. */
export type GivenTo = Pick<RunRecord, 'answers' | 'answered'>;

/** The questions of a run: open ones, those from before a resume, and their answers. */
export class Questions {
  #open: readonly Interrupt[] = none;
  /** Questions that were open at the resume, until their call or hook has ended or has asked again. */
  #before: readonly Interrupt[];
  #answers: Map<string, JsonValue> | undefined;

  /** Records of who gave the answers that no message shows yet. */
  #notes: Map<string, AnswerNote> | undefined;

  constructor(before: readonly Interrupt[] = none, given: GivenTo = noneGiven) {
    this.#before = before;
    if (given === noneGiven) return;
    this.#answers = new Map(Object.entries(given.answers));
    if (given.answered !== undefined) this.#notes = new Map(Object.entries(given.answered));
  }

  /** Open questions that were asked, or found unanswered, since the start or resume. */
  get open(): readonly Interrupt[] {
    return this.#open;
  }

  answerTo(id: string): JsonValue | undefined {
    return this.#answers?.get(id);
  }

  /** Removes an answer that a later validation rejected: the question is open again. */
  refuseAnswer(id: string): void {
    this.#answers?.delete(id);
    this.#notes?.delete(id);
  }

  /** Returns a question that was open at the resume; undefined if there is none with this id. */
  before(id: string): Interrupt | undefined {
    return this.#before.find((asked) => asked.id === id);
  }

  /**
   * Adds an open question; returns false if it is already open. `turn` is the model's message whose calls are being
   * executed.
   */
  add(interrupt: Interrupt, turn: Message | undefined): boolean {
    if (this.#open.some(({ id }) => id === interrupt.id)) return false;
    this.#open = inCallOrder([...this.#open, interrupt], turn);
    // An asker that asks something new has received its earlier answers.
    this.#before = this.#before.filter((asked) => !isAskedBy(asked, askerOf(interrupt)) || !this.#has(asked));
    return true;
  }

  /**
   * Returns the questions, open at the resume, for which a call still waits; without `callId`, those of the before or
   * after hook that asked. Empty if any of them has an answer.
   */
  unanswered(callId?: string): readonly Interrupt[] {
    if (this.#before.length === 0) return none;
    const asked = this.#before.filter((interrupt) => isAskedBy(interrupt, callId));
    return asked.some((interrupt) => this.#has(interrupt)) ? none : asked;
  }

  /** Forgets a call's questions from before the resume: the call has ended or has asked again. */
  settle(callId: string): void {
    if (this.#before.length > 0) this.#before = this.#before.filter((asked) => !isAskedBy(asked, callId));
  }

  /**
   * Adds answers that came while the run is executed. Returns the calls that asked; each is entered again, like after a
   * resume.
   */
  give({ answers, answered = {} }: GivenTo): readonly string[] {
    this.#answers ??= new Map();
    this.#notes ??= new Map();
    for (const [id, answer] of Object.entries(answers)) this.#answers.set(id, answer);
    for (const [id, note] of Object.entries(answered)) this.#notes.set(id, note);
    const calls = new Set(this.#open.filter((asked) => this.#has(asked)).map(askerOf));
    const isOfThese = (asked: Interrupt): boolean => calls.has(askerOf(asked));
    this.#before = [...this.#before, ...this.#open.filter(isOfThese)];
    this.#open = this.#open.filter((asked) => !isOfThese(asked));
    return [...calls].filter((callId) => callId !== undefined);
  }

  /** Withdraws the questions asked since the start or resume; with `callId`, all questions of that call. */
  withdraw(callId?: string): void {
    if (callId === undefined) this.#open = none;
    else {
      this.settle(callId);
      this.#open = this.#open.filter((asked) => !isAskedBy(asked, callId));
    }
  }

  /**
   * Notes in the metadata of a message who gave which answers to its call, or without `callId` to the hooks before it.
   * The run's record no longer needs these notes.
   */
  noteIn<M extends Message>(message: M, callId?: string): M {
    const noted = withAnswers(message, this.#notes === undefined ? [] : givenAnswers(this, callId));
    for (const [id, note] of this.#notes ?? []) if (note.callId === callId) this.#notes?.delete(id);
    return noted;
  }

  /**
   * Forgets the questions from before the resume, and the answers, except for answers to hooks that no message shows yet.
   */
  forget(): void {
    this.#before = none;
    for (const [id, { callId }] of this.#notes ?? []) if (callId !== undefined) this.#notes?.delete(id);
    for (const id of this.#answers?.keys() ?? [])
      if (this.#notes?.has(id) !== true) this.#answers?.delete(id);
  }

  /**
   * Returns the questions to store with a run in this status. Until the run is interrupted again, they include those
   * from before the resume.
   */
  of(status: RunRecord['status']): readonly Interrupt[] {
    if (status === 'interrupted' || this.#before.length === 0) return this.#open;
    return [...this.#before, ...this.#open.filter(({ id }) => this.before(id) === undefined)];
  }

  get answers(): Answers {
    return this.#answers === undefined ? noAnswers : Object.fromEntries(this.#answers);
  }

  /** The answers, with their givers. */
  get given(): GivenTo {
    const { answers, answered } = this;
    return answered === undefined ? { answers } : { answers, answered };
  }

  /** Undefined if there are no records to keep. */
  get answered(): RunRecord['answered'] {
    return this.#notes === undefined || this.#notes.size === 0 ? undefined : Object.fromEntries(this.#notes);
  }

  #has({ id }: Interrupt): boolean {
    return this.#answers?.has(id) === true;
  }
}

function isAskedBy(interrupt: Interrupt, callId: string | undefined): boolean {
  return askerOf(interrupt) === callId;
}

/** Sorts questions by the order of the calls that they belong to. */
function inCallOrder(interrupts: readonly Interrupt[], turn: Message | undefined): readonly Interrupt[] {
  if (turn === undefined || interrupts.length < 2) return interrupts;
  const calls = toolCallsOf(turn).map(({ id }) => id);
  const place = (interrupt: Interrupt): number => {
    const asker = askerOf(interrupt);
    return asker === undefined ? -1 : calls.indexOf(asker);
  };
  return interrupts.toSorted((a, b) => place(a) - place(b));
}
