import { isDeepStrictEqual } from 'node:util';

import type { AssistantMessage } from '@shallot/core';

import type { Delta } from '../chat/draft.ts';
import type { AgUiEvent } from './ag-ui-event.ts';
import { citedIn, type ShownCall } from './cited-in.ts';
import { argumentsOf, callMetadata, providerResult, reasoningId, resultEvent } from './messages.ts';
import { parsedArguments } from './parsed-arguments.ts';

/**
 * The part of an answer that the client was shown while the model writes it. Its text is one message, and each piece
 * of reasoning another.
 */
export class AnswerDraft {
  readonly #id: string;
  #text: string | undefined;
  #isTextOpen = false;
  /** The reasoning by its index in the answer, in the order in which the client has it. */
  readonly #reasonings = new Map<number, ShownPart>();
  #reasoningCount = 0;
  readonly #calls = new Map<number, ShownPart & { readonly name: string }>();

  constructor(id: string) {
    this.#id = id;
  }

  /** True if the client was shown nothing of the answer. */
  get isEmpty(): boolean {
    return this.#text === undefined && this.#reasonings.size === 0 && this.#calls.size === 0;
  }

  /** Returns the events that show a delta. */
  take(delta: Delta): readonly AgUiEvent[] {
    if (delta.type === 'tool-call-delta') return this.#takeArguments(delta);
    if (delta.text === '') return [];
    if (delta.type === 'text-delta') return this.#addText(delta.text);
    const shown = this.#reasonings.get(delta.index) ?? this.#newReasoning();
    this.#reasonings.set(delta.index, shown);
    return addReasoning(shown, delta.text);
  }

  /** Returns the events for the end of a part. Texts and calls end with the answer. */
  endPart(index: number): readonly AgUiEvent[] {
    return endReasoning(this.#reasonings.get(index));
  }

  /** Returns the events that complete the draft to this message; undefined if the client was shown something else. */
  commit({ content }: AssistantMessage): readonly AgUiEvent[] | undefined {
    const shown = { reasonings: [...this.#reasonings.values()], calls: [...this.#calls.values()] };
    const events: AgUiEvent[] = [];
    let text = '';
    for (const part of content) {
      if (part.type === 'reasoning' && part.text !== '') {
        const before = shown.reasonings.shift() ?? this.#newReasoning();
        if (!part.text.startsWith(before.text)) return undefined;
        events.push(...addReasoning(before, part.text.slice(before.text.length)), ...endReasoning(before));
      }
      if (part.type === 'text' && part.text !== '') {
        const known = (this.#text ?? '').slice(text.length, text.length + part.text.length);
        text += part.text;
        if (!part.text.startsWith(known)) return undefined;
        if (known.length < part.text.length) events.push(...this.#addText(part.text.slice(known.length)));
      }
      if (part.type === 'tool-call' || part.type === 'provider-call') {
        const place = shown.calls.findIndex(({ id }) => id === part.id);
        const [before] = place === -1 ? [] : shown.calls.splice(place, 1);
        const rest = this.#restOfCall(part, before);
        if (rest === undefined) return undefined;
        events.push(...rest);
      }
    }
    if (text.length < (this.#text ?? '').length) return undefined;
    if (shown.reasonings.length > 0 || shown.calls.length > 0) return undefined;
    const metadata = citedIn(content);
    const hasCalls = content.some(({ type }) => type === 'tool-call' || type === 'provider-call');
    if (this.#text === undefined && (metadata !== undefined || !hasCalls)) events.push(...this.#addText(''));
    if (this.#isTextOpen)
      events.push({ type: 'TEXT_MESSAGE_END', messageId: this.#id, ...(metadata && { metadata }) });
    for (const part of content)
      if (part.type === 'provider-result') events.push(resultEvent(providerResult(part)));
    return events;
  }

  /** Returns the events that end the open messages, because the answer is taken back. */
  close(): readonly AgUiEvent[] {
    return [
      ...[...this.#reasonings.values()].flatMap(endReasoning),
      ...[...this.#calls.values()].map(({ id }) => ({ type: 'TOOL_CALL_END', toolCallId: id })),
      ...(this.#isTextOpen ? [{ type: 'TEXT_MESSAGE_END', messageId: this.#id }] : []),
    ];
  }

  #addText(delta: string): readonly AgUiEvent[] {
    const messageId = this.#id;
    const start = this.#isTextOpen ? [] : [{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' }];
    this.#isTextOpen = true;
    this.#text = (this.#text ?? '') + delta;
    return [...start, ...(delta === '' ? [] : [{ type: 'TEXT_MESSAGE_CONTENT', messageId, delta }])];
  }

  #newReasoning(): ShownPart {
    return { id: reasoningId(this.#id, (this.#reasoningCount += 1)), text: '', isOpen: false };
  }

  #takeArguments({
    index,
    id,
    name,
    text,
  }: Delta & { readonly type: 'tool-call-delta' }): readonly AgUiEvent[] {
    const shown = this.#calls.get(index);
    if (shown === undefined) {
      // A call without a name is shown once its message is committed.
      if (id === undefined || name === undefined) return [];
      this.#calls.set(index, { id, name, text, isOpen: true });
      return [this.#callStart({ id, name }), ...argumentsEvent(id, text)];
    }
    shown.text += text;
    return argumentsEvent(shown.id, text);
  }

  #callStart({ id, name, ...call }: Pick<ShownCall, 'id' | 'name' | 'type'>): AgUiEvent {
    return {
      type: 'TOOL_CALL_START',
      toolCallId: id,
      toolCallName: name,
      parentMessageId: this.#id,
      ...callMetadata(call),
    };
  }

  /** Returns the events that complete a call; undefined if the client was shown another call. */
  #restOfCall(
    part: ShownCall,
    shown: (ShownPart & { readonly name: string }) | undefined,
  ): readonly AgUiEvent[] | undefined {
    const whole = argumentsOf(part, new Map<string, unknown>());
    const end = { type: 'TOOL_CALL_END', toolCallId: part.id };
    if (shown === undefined) return [this.#callStart(part), ...argumentsEvent(part.id, whole), end];
    if (shown.name !== part.name) return undefined;
    if (isDeepStrictEqual(parsedArguments(shown.text), parsedArguments(whole))) return [end];
    return whole.startsWith(shown.text)
      ? [...argumentsEvent(part.id, whole.slice(shown.text.length)), end]
      : undefined;
  }
}

interface ShownPart {
  readonly id: string;
  text: string;
  isOpen: boolean;
}

function addReasoning(shown: ShownPart, delta: string): readonly AgUiEvent[] {
  if (delta === '') return [];
  const messageId = shown.id;
  const start = [
    { type: 'REASONING_START', messageId },
    { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
  ];
  const begun = shown.isOpen ? [] : start;
  shown.isOpen = true;
  shown.text += delta;
  return [...begun, { type: 'REASONING_MESSAGE_CONTENT', messageId, delta }];
}

function endReasoning(shown: ShownPart | undefined): readonly AgUiEvent[] {
  if (shown?.isOpen !== true) return [];
  shown.isOpen = false;
  const messageId = shown.id;
  return [
    { type: 'REASONING_MESSAGE_END', messageId },
    { type: 'REASONING_END', messageId },
  ];
}

function argumentsEvent(toolCallId: string, delta: string): readonly AgUiEvent[] {
  return delta === '' ? [] : [{ type: 'TOOL_CALL_ARGS', toolCallId, delta }];
}
