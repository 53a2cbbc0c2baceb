import type { AssistantPart, JsonObject, JsonValue } from '@shallot/core';
import { modelError, type Chunk, type Citation, type Emit } from '@shallot/core/model';

import type { StreamPart } from '../sdk/language-model.ts';
import { mergeMetadata } from '../sdk/metadata.ts';
import { warningText } from '../sdk/warnings.ts';
import {
  addOther,
  citationsOf,
  file,
  isKept,
  providerCall,
  providerResult,
  sourcePart,
  textualPart,
  toolCall,
  toolCallPart,
} from './answer-parts.ts';
import { OpenCalls, type OpenCall } from './open-calls.ts';
import { streamBroken, type Answer } from './response.ts';
import { isUnknownEvent } from './unknown-event.ts';

type Of<Type extends StreamPart['type']> = Type extends unknown
  ? Extract<StreamPart, { readonly type: Type }>
  : never;
type Pressure = void | Promise<void>;

/** Text or reasoning that is being streamed. It has a place in the answer from when there is something to keep. */
interface OpenText {
  readonly type: 'text' | 'reasoning';
  index: number | undefined;
  text: string;
  metadata: JsonObject | undefined;
  citations: readonly Citation[] | undefined;
}

/** More than any model says, two million tokens or so; a stream that goes beyond is one that does not end. */
const maxCharacters = 8 * 1024 * 1024;

/**
 * A streamed answer as it comes in: stream parts of the AI SDK become chunks, which go out at once, and the parts of a
 * message. `take` returns what `emit` returned, so that a consumer that is slow is waited for.
 */
export class StreamedAnswer {
  readonly #id: string;
  readonly #emit: Emit;
  readonly #content: (AssistantPart | undefined)[] = [];
  /** Some providers give one id to what is thought and what is said. */
  readonly #open = { text: new Map<string, OpenText>(), reasoning: new Map<string, OpenText>() };
  readonly #calls = new OpenCalls();
  /** Calls that the provider executes itself. */
  readonly #executed = new Set<string>();
  readonly #others: JsonValue[] = [];
  readonly #warnings: string[] = [];
  #response: Answer['response'];
  #finish: Of<'finish'> | undefined;
  #characters = 0;

  constructor(id: string, emit: Emit) {
    this.#id = id;
    this.#emit = emit;
  }

  /** @throws what an error part holds; `MODEL_RESPONSE` for an answer without end */
  take(part: StreamPart): Pressure {
    switch (part.type) {
      case 'text-delta':
        return this.#addText(part, 'text');
      case 'reasoning-delta':
        return this.#addText(part, 'reasoning');
      case 'tool-input-delta':
        return this.#addArguments(part);
      case 'text-start':
        return this.#openText(part, 'text');
      case 'reasoning-start':
        return this.#openText(part, 'reasoning');
      case 'text-end':
        return this.#endText(part, 'text');
      case 'reasoning-end':
        return this.#endText(part, 'reasoning');
      case 'tool-input-start':
        return this.#openCall(part);
      case 'tool-input-end':
      case 'raw':
      case 'ping':
        return undefined;
      case 'tool-call':
        return this.#endCall(part);
      case 'tool-result':
        // Preliminary ones replace each other.
        return part.preliminary === true ? undefined : this.#addWhole(providerResult(part));
      case 'source':
        return this.#addWhole(sourcePart(part));
      case 'file':
        return this.#addWhole(file(part));
      case 'stream-start':
        this.#warnings.push(...part.warnings.map(warningText));
        return undefined;
      case 'response-metadata':
        this.#response = { id: part.id, modelId: part.modelId };
        return undefined;
      case 'finish':
        this.#finish = part;
        return undefined;
      case 'error':
        if (!isUnknownEvent(part.error)) throw part.error;
        this.#warnings.push('The provider sent an event that its package does not know, which was left out.');
        return undefined;
      default:
        addOther(this.#others, part);
        return undefined;
    }
  }

  /** The whole answer, once the stream is over. @throws `MODEL_STREAM_BROKEN` when it ended too early */
  async complete(): Promise<Answer> {
    const finish = this.#finish;
    if (finish === undefined || isUnfinished(finish.finishReason)) throw streamBroken(this.#id);
    for (const open of this.#open.reasoning.values()) await this.#close(open);
    for (const open of this.#open.text.values()) await this.#close(open);
    for (const call of this.#calls.left) {
      // Arguments that nobody said the end of are whole in no case; they are not executed after `length`.
      if (finish.finishReason.unified !== 'length') throw streamBroken(this.#id);
      await this.#closeCall(call, toolCallPart(call.id, call.name, call.text, undefined), call.text);
    }
    return {
      content: this.#content.filter((part) => part !== undefined),
      finishReason: finish.finishReason,
      usage: finish.usage,
      response: this.#response,
      warnings: this.#warnings,
      providerMetadata: finish.providerMetadata,
      others: this.#others,
    };
  }

  #openText(
    { id, providerMetadata }: Of<'text-start' | 'reasoning-start'>,
    type: OpenText['type'],
  ): Pressure {
    const before = this.#open[type].get(id);
    const open = this.#newText(id, type);
    if (providerMetadata !== undefined) this.#note(open, providerMetadata);
    return before === undefined ? undefined : this.#close(before);
  }

  #addText(
    { id, delta, providerMetadata }: Of<'text-delta' | 'reasoning-delta'>,
    type: OpenText['type'],
  ): Pressure {
    const open = this.#open[type].get(id) ?? this.#newText(id, type);
    if (providerMetadata !== undefined) this.#note(open, providerMetadata);
    if (delta === '') return undefined;
    this.#count(delta);
    open.index ??= this.#place();
    open.text += delta;
    return this.#emit({ type: `${type}-delta`, index: open.index, text: delta });
  }

  #endText(part: Of<'text-end' | 'reasoning-end'>, type: OpenText['type']): Pressure {
    const { id, providerMetadata } = part;
    const open = this.#open[type].get(id);
    if (open === undefined) return undefined;
    this.#open[type].delete(id);
    if (providerMetadata !== undefined) this.#note(open, providerMetadata);
    if ('citations' in part) open.citations = citationsOf(part.citations);
    return this.#close(open);
  }

  #newText(id: string, type: OpenText['type']): OpenText {
    const open: OpenText = { type, index: undefined, text: '', metadata: undefined, citations: undefined };
    this.#open[type].set(id, open);
    return open;
  }

  #note(open: OpenText, metadata: unknown): void {
    open.metadata = mergeMetadata(open.metadata, metadata);
    if (open.metadata !== undefined) open.index ??= this.#place();
  }

  #close({ type, index, text, metadata, citations }: OpenText): Pressure {
    if (index === undefined || !isKept(text, metadata)) return undefined;
    const part = textualPart(type, text, metadata, citations);
    this.#content[index] = part;
    const end: Chunk = { type: 'part-end', index, ...(citations === undefined ? {} : { part }) };
    // A part is seen on the stream by its deltas, also an empty one.
    if (text !== '') return this.#emit(end);
    return this.#emitBoth({ type: `${type}-delta`, index, text }, end);
  }

  #openCall(part: Of<'tool-input-start'>): Pressure {
    const { id, toolName: name, providerExecuted } = part;
    if (providerExecuted === true) {
      this.#executed.add(id);
      return undefined;
    }
    const isJson = !('inputEncoding' in part) || part.inputEncoding !== 'text';
    const index = this.#place();
    this.#calls.add({ id, name, index, isJson, text: '' });
    return this.#emit({ type: 'tool-call-delta', index, id, name, text: '' });
  }

  #addArguments({ id, delta }: Of<'tool-input-delta'>): Pressure {
    const call = this.#calls.get(id);
    if (call === undefined || !call.isJson || delta === '') return undefined;
    this.#count(delta);
    call.text += delta;
    return this.#emit({ type: 'tool-call-delta', index: call.index, text: delta });
  }

  #endCall(part: Of<'tool-call'>): Pressure {
    if (part.providerExecuted === true || this.#executed.delete(part.toolCallId)) {
      // Some say only at the end that it is none of ours.
      return this.#addWhole(providerCall(part), this.#calls.take(part.toolCallId, part.input)?.index);
    }
    const { toolCallId: id, toolName: name, input } = part;
    const call = this.#calls.take(id, input);
    if (call !== undefined) return this.#closeCall(call, toolCall(part), input);
    const index = this.#place();
    this.#content[index] = toolCall(part);
    const delta: Chunk = { type: 'tool-call-delta', index, id, name, text: argumentsOf(input) };
    return this.#emitBoth(delta, { type: 'part-end', index });
  }

  #closeCall({ index, text: sent }: OpenCall, part: AssistantPart, input: string): Pressure {
    this.#content[index] = part;
    const text = argumentsOf(input);
    if (sent === '') {
      return this.#emitBoth({ type: 'tool-call-delta', index, text }, { type: 'part-end', index });
    }
    // Where what was streamed is not what came of it, the end says so.
    return this.#emit({ type: 'part-end', index, ...(sent === text ? {} : { part }) });
  }

  /** A part that has no pieces. */
  #addWhole(part: AssistantPart, index = this.#place()): Pressure {
    this.#content[index] = part;
    return this.#emit({ type: 'part-end', index, part });
  }

  #emitBoth(first: Chunk, second: Chunk): Pressure {
    const pressure = this.#emit(first);
    return pressure === undefined ? this.#emit(second) : pressure.then(() => this.#emit(second));
  }

  #place(): number {
    return this.#content.push(undefined) - 1;
  }

  #count(delta: string): void {
    this.#characters += delta.length;
    if (this.#characters <= maxCharacters) return;
    throw modelError('MODEL_RESPONSE', {
      message: `The answer of ${this.#id} is longer than ${maxCharacters} characters and was cut off. Set maxOutputTokens.`,
    });
  }
}

/** No text at all stands for no arguments. */
function argumentsOf(input: string): string {
  return input.trim() === '' ? '{}' : input;
}

/** Providers that know no `interrupted` say `other`, and nothing of their own, when a stream ends before its last event. */
function isUnfinished({ unified, raw }: Of<'finish'>['finishReason']): boolean {
  return unified === 'other' && raw === undefined;
}
