import type { Interrupt, Message } from '@shallot/core';
import { editedInput } from '@shallot/core/work';

import type { FeedEvent } from '../events/feed-event.ts';
import type { AgUiEvent, AgUiMessage } from './ag-ui-event.ts';
import { AnswerDraft } from './answer-draft.ts';
import { agUiInterrupt } from './interrupts.ts';
import { agUiMessages, answerId, resultEvent, resultMessage, userMessage } from './messages.ts';
import { Subagents } from './subagents.ts';
import { usageSince, type TokenCounts } from './token-usage.ts';

/** The state of a client when its stream begins. */
export interface Beginning {
  readonly threadId: string;
  /** The id that the client gave its run. If questions interrupt our run, it has several runs for the client. */
  readonly runId: string;
  /** The messages of the session, and the ids of those that the client has sent. */
  readonly messages: readonly Message[];
  readonly sentIds: readonly string[];
  /** The tokens that the client was already told about. */
  readonly usage: TokenCounts | undefined;
}

/** Converts the events of a run to events of AG-UI, for one client. */
export class RunEvents {
  readonly #id: string;
  readonly #beginning: Beginning;
  readonly #known: Set<string>;
  readonly #subagents = new Subagents();
  /** The events outside of messages that the client already has. */
  readonly #passed = new WeakSet<FeedEvent>();
  /** The inputs with which calls are executed, for calls that were changed. */
  readonly #changed = new Map<string, unknown>();
  /** The inputs of calls that the client was shown. */
  readonly #inputs = new Map<string, string>();
  #answers = 0;
  #draft: AnswerDraft;
  #step: string | undefined;
  #isStepAnswered = false;
  #questions: Interrupt[] = [];
  #isOver = false;

  constructor(id: string, beginning: Beginning) {
    this.#id = id;
    this.#beginning = beginning;
    this.#known = new Set([...beginning.messages.map((message) => message.id), ...beginning.sentIds]);
    this.#noteInputs(agUiMessages(beginning.messages));
    this.#draft = this.#nextDraft();
  }

  /** True if the end of the run was seen. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Returns the AG-UI events for an event of the run; undefined if the client was shown something that is no longer
   * valid.
   */
  take(event: FeedEvent): readonly AgUiEvent[] | undefined {
    switch (event.type) {
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-call-delta':
        return this.#draft.take(event);
      case 'part-end':
        return this.#draft.endPart(event.index);
      case 'message':
        return this.#takeMessage(event.message);
      case 'tool-start':
        return this.#isShown(event.callId, event.input) ? [] : undefined;
      case 'tool-end':
        return this.#takeResult(event.message);
      case 'interrupt':
        this.#questions.push(event.interrupt);
        return [];
      case 'run-end':
        return this.#draft.isEmpty ? this.#end(event) : undefined;
      case 'restart':
        return this.#draft.isEmpty ? [] : undefined;
      case 'reload':
        return undefined;
      case 'step-start':
      case 'plugin':
      case 'tool-progress':
      case 'warning':
      case 'child':
        if (this.#passed.has(event)) return [];
        this.#passed.add(event);
        return this.#pass(event);
    }
  }

  /**
   * Returns a snapshot of all messages, which replaces what is no longer valid, and the events after it. Takes the
   * events of the run from its beginning.
   */
  mend(events: readonly FeedEvent[]): readonly AgUiEvent[] {
    const closed = this.#draft.close();
    for (const event of events) if (event.type === 'tool-start') this.#noteChange(event.callId, event.input);
    const place = events.findLastIndex(({ type }) => type === 'message' || type === 'tool-end') + 1;
    const committed = events
      .slice(0, place)
      .flatMap((event) => (event.type === 'message' || event.type === 'tool-end' ? [event.message] : []));
    const messages = [...this.#messagesBefore(committed), ...committed];
    const shown = agUiMessages(messages, this.#changed);
    for (const { id } of messages) this.#known.add(id);
    this.#noteInputs(shown);
    this.#answers = committed.filter(({ role }) => role === 'assistant').length;
    this.#draft = this.#nextDraft();
    this.#questions = [];
    const isOver = events.some(({ type }) => type === 'run-end');
    // If the run is over, its draft was taken back.
    const rest = events.slice(place).filter(({ type }) => !isOver || !isOfDraft(type));
    return [...closed, ...snapshotEvents(shown), ...rest.flatMap((event) => this.take(event) ?? [])];
  }

  /** Returns the messages before those of the run. */
  #messagesBefore(committed: readonly Message[]): readonly Message[] {
    const ids = new Set(committed.map(({ id }) => id));
    return this.#beginning.messages.filter(({ id }) => !ids.has(id) && !id.startsWith(`${this.#id}.`));
  }

  #takeMessage(message: Exclude<Message, { readonly role: 'tool' }>): readonly AgUiEvent[] | undefined {
    if (message.role === 'assistant') this.#answers += 1;
    const isKnown = this.#known.has(message.id);
    this.#known.add(message.id);
    if (message.role === 'assistant') {
      if (isKnown) {
        this.#draft = this.#nextDraft();
        return [];
      }
      for (const part of message.content)
        if (part.type === 'tool-call') this.#inputs.set(part.id, JSON.stringify(part.input));
      const events = this.#draft.commit(message);
      if (events === undefined) return undefined;
      this.#draft = this.#nextDraft();
      // No event for the beginning of this step was seen, so the step before it is still open for the client.
      const ended = this.#isStepAnswered ? this.#endStep() : [];
      this.#isStepAnswered = true;
      return [...ended, ...events];
    }
    if (isKnown || message.role === 'system' || message.source !== undefined) return [];
    const { id: messageId, role, content } = userMessage(message);
    if (typeof content !== 'string') return undefined;
    return [
      { type: 'TEXT_MESSAGE_START', messageId, role },
      { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: content },
      { type: 'TEXT_MESSAGE_END', messageId },
    ];
  }

  #takeResult(message: Message & { readonly role: 'tool' }): readonly AgUiEvent[] | undefined {
    if (this.#known.has(message.id)) return [];
    const edited = editedInput(message);
    if (edited !== undefined && !this.#isShown(message.callId, edited)) return undefined;
    this.#known.add(message.id);
    return [resultEvent(resultMessage(message))];
  }

  /** Returns true if the client was shown the same input as the call is executed with. */
  #isShown(callId: string, input: unknown): boolean {
    return this.#inputs.get(callId) === JSON.stringify(input);
  }

  #noteChange(callId: string, input: unknown): void {
    if (!this.#isShown(callId, input)) this.#changed.set(callId, input);
  }

  #noteInputs(messages: readonly AgUiMessage[]): void {
    for (const { toolCalls = [] } of messages)
      for (const call of toolCalls) this.#inputs.set(call.id, call.function.arguments);
  }

  #nextDraft(): AnswerDraft {
    return new AnswerDraft(answerId(this.#id, this.#answers + 1));
  }

  #pass(event: PassingEvent): readonly AgUiEvent[] {
    if (event.type === 'child') return this.#subagents.take(event);
    if (event.type === 'step-start') return this.#beginStep(`step ${event.step}`);
    const { type, ...value } = event;
    return [{ type: 'CUSTOM', name: type, value }];
  }

  #beginStep(stepName: string): readonly AgUiEvent[] {
    if (this.#step === stepName) return [];
    const ended = this.#endStep();
    this.#step = stepName;
    this.#isStepAnswered = false;
    return [...ended, { type: 'STEP_STARTED', stepName }];
  }

  #endStep(): readonly AgUiEvent[] {
    const stepName = this.#step;
    this.#step = undefined;
    return stepName === undefined ? [] : [{ type: 'STEP_FINISHED', stepName }];
  }

  #end(end: FeedEvent & { readonly type: 'run-end' }): readonly AgUiEvent[] {
    this.#isOver = true;
    const { threadId, runId, usage: before } = this.#beginning;
    const { outcome, stopReason, steps, finish, failure } = end;
    const closed = [...this.#subagents.end(outcome), ...this.#endStep()];
    const usage = usageSince(end.usage, before);
    const notes = Object.entries({ runId: this.#id, outcome, stopReason, steps, finish });
    const metadata = Object.fromEntries(notes.filter(([, value]) => value !== undefined));
    if (outcome === 'failed') {
      const { code = 'INTERNAL', message = 'The run failed.' } = failure ?? {};
      return [...closed, { type: 'RUN_ERROR', message, code, usage, metadata }];
    }
    const finished = { type: 'RUN_FINISHED', threadId, runId, usage, metadata };
    return [...closed, { ...finished, outcome: outcomeOf(outcome, this.#questions) }];
  }
}

type PassingEvent = FeedEvent & {
  readonly type: 'step-start' | 'plugin' | 'tool-progress' | 'warning' | 'child';
};

function isOfDraft(type: FeedEvent['type']): boolean {
  return ['text-delta', 'reasoning-delta', 'tool-call-delta', 'part-end'].includes(type);
}

function outcomeOf(outcome: string | undefined, questions: readonly Interrupt[]): object {
  if (outcome === 'completed') return { type: 'success' };
  return outcome === 'interrupted' && questions.length > 0
    ? { type: 'interrupt', interrupts: questions.map(agUiInterrupt) }
    : { type: 'cancelled' };
}

/**
 * Returns the events after which a client has these messages, in this order. A single snapshot is not enough: clients
 * keep their reasoning if the snapshot has none, and append missing messages at the end. So a first snapshot removes
 * everything except one empty message.
 */
export function snapshotEvents(messages: readonly AgUiMessage[]): readonly AgUiEvent[] {
  const whole = { type: 'MESSAGES_SNAPSHOT', messages };
  const [first] = messages;
  if (first === undefined) return [whole];
  const cleared = { type: 'MESSAGES_SNAPSHOT', messages: [{ id: first.id, role: 'reasoning', content: '' }] };
  return [cleared, whole];
}
