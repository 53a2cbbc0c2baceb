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

/** Text or reasoning being streamed. It gets an index in the response with its first content. */
interface OpenText {
  readonly type: 'text' | 'reasoning';
  index: number | undefined;
  text: string;
  metadata: JsonObject | undefined;
  citations: readonly Citation[] | undefined;
}

/** A limit of about two million tokens, more than any model writes: it ends streams that never stop. */
const maxCharacters = 8 * 1024 * 1024;

/**
 * A response being streamed: converts stream parts of the AI SDK to chunks, emitted at once, and to message parts.
 * `take` returns the promise of `emit`, so that slow consumers are waited for.
 */
export class StreamedAnswer {
  readonly #id: string;
  readonly #emit: Emit;
  readonly #content: (AssistantPart | undefined)[] = [];
  /** Separate maps, because some providers use one id for both text and reasoning. */
  readonly #open = { text: new Map<string, OpenText>(), reasoning: new Map<string, OpenText>() };
  readonly #calls = new OpenCalls();
  /** The ids of calls that the provider executes itself. */
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

  /** Processes a part. @throws the error of an error part; `MODEL_RESPONSE` for a response that exceeds the limit */
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
        // Preliminary results replace each other; only the final one counts.
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

  /** Returns the response after the end of the stream. @throws `MODEL_STREAM_BROKEN` if it ended too early */
  async complete(headers?: Readonly<Record<string, string>>): Promise<Answer> {
    const finish = this.#finish;
    if (finish === undefined || isUnfinished(finish.finishReason)) throw streamBroken(this.#id);
    for (const open of this.#open.reasoning.values()) await this.#close(open);
    for (const open of this.#open.text.values()) await this.#close(open);
    for (const call of this.#calls.left) {
      // Calls without an end are incomplete. After `length` they are kept, because they are not executed.
      if (finish.finishReason.unified !== 'length') throw streamBroken(this.#id);
      await this.#closeCall(call, toolCallPart(call.id, call.name, call.text, undefined), call.text);
    }
    return {
      content: this.#content.filter((part) => part !== undefined),
      finishReason: finish.finishReason,
      usage: finish.usage,
      response: headers === undefined ? this.#response : { ...this.#response, headers },
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
    // Clients learn of a part from its deltas, so an empty one is emitted, too.
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
      // Some packages report only at the end that the provider executes a call.
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
    // The end contains the part if it differs from the streamed text.
    return this.#emit({ type: 'part-end', index, ...(sent === text ? {} : { part }) });
  }

  /** Emits a part that was not streamed. */
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

/** Returns the arguments as JSON text. Empty text means no arguments. */
function argumentsOf(input: string): string {
  return input.trim() === '' ? '{}' : input;
}

/**
 * Returns true for an unfinished stream: providers without the reason `interrupted` report `other` without a raw
 * reason.
 */
function isUnfinished({ unified, raw }: Of<'finish'>['finishReason']): boolean {
  return unified === 'other' && raw === undefined;
}
