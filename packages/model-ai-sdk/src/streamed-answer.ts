import {
  modelError,
  type AssistantPart,
  type Chunk,
  type Emit,
  type JsonObject,
  type JsonValue,
} from '@shallot/core';

import { addOther, file, isKept, textualPart, toolCall, toolCallPart } from './answer-parts.ts';
import type { StreamPart } from './language-model.ts';
import { mergeMetadata } from './metadata.ts';
import { streamBroken, type Answer } from './response.ts';
import { warningText } from './warnings.ts';

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
}

/** A call whose arguments are being streamed. */
interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly index: number;
  /** Whether the pieces are those of the argument text: of text that becomes JSON only later, they are not. */
  readonly isJson: boolean;
  /** Nothing of it was streamed. */
  readonly isNew: boolean;
  text: string;
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
  readonly #texts = new Map<string, OpenText>();
  /** Several calls may come under one id. */
  readonly #calls = new Map<string, OpenCall[]>();
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
      case 'reasoning-end':
        return this.#endText(part);
      case 'tool-input-start':
        return this.#openCall(part);
      case 'tool-input-end':
      case 'raw':
      case 'ping':
        return undefined;
      case 'tool-call':
        return this.#endCall(part);
      case 'file':
        return this.#addFile(part);
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
        throw part.error;
      default:
        addOther(this.#others, part);
        return undefined;
    }
  }

  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** The whole answer, once the stream is over. @throws `MODEL_STREAM_BROKEN` when it ended too early */
  async complete(): Promise<Answer> {
    const finish = this.#finish;
    if (finish === undefined || isUnfinished(finish.finishReason)) throw streamBroken(this.#id);
    for (const open of this.#texts.values()) await this.#close(open);
    for (const call of [...this.#calls.values()].flat()) {
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
    const open: OpenText = { type, index: undefined, text: '', metadata: undefined };
    const before = this.#texts.get(id);
    this.#texts.set(id, open);
    if (providerMetadata !== undefined) this.#note(open, providerMetadata);
    return before === undefined ? undefined : this.#close(before);
  }

  #addText(part: Of<'text-delta' | 'reasoning-delta'>, type: OpenText['type']): Pressure {
    const { id, delta, providerMetadata } = part;
    let open = this.#texts.get(id);
    if (open !== undefined && open.type !== type) {
      // One id for both: what was thought must not be said.
      this.#texts.delete(id);
      const closed = this.#close(open);
      if (closed !== undefined) return closed.then(() => this.#addText(part, type));
      open = undefined;
    }
    if (open === undefined) {
      open = { type, index: undefined, text: '', metadata: undefined };
      this.#texts.set(id, open);
    }
    if (providerMetadata !== undefined) this.#note(open, providerMetadata);
    if (delta === '') return undefined;
    this.#count(delta);
    open.index ??= this.#place();
    open.text += delta;
    return this.#emit({ type: `${open.type}-delta`, index: open.index, text: delta });
  }

  #endText({ id, providerMetadata }: Of<'text-end' | 'reasoning-end'>): Pressure {
    const open = this.#texts.get(id);
    if (open === undefined) return undefined;
    this.#texts.delete(id);
    if (providerMetadata !== undefined) this.#note(open, providerMetadata);
    return this.#close(open);
  }

  #note(open: OpenText, metadata: unknown): void {
    open.metadata = mergeMetadata(open.metadata, metadata);
    if (open.metadata !== undefined) open.index ??= this.#place();
  }

  #close({ type, index, text, metadata }: OpenText): Pressure {
    if (index === undefined || !isKept(text, metadata)) return undefined;
    this.#content[index] = textualPart(type, text, metadata);
    const end: Chunk = { type: 'part-end', index };
    // A part is seen on the stream by its deltas, also an empty one.
    if (text !== '') return this.#emit(end);
    return this.#emitBoth({ type: `${type}-delta`, index, text }, end);
  }

  #openCall({
    id,
    toolName,
    providerExecuted,
    inputEncoding,
  }: Of<'tool-input-start'> & { inputEncoding?: string }): Pressure {
    if (providerExecuted === true) {
      this.#executed.add(id);
      return undefined;
    }
    const call = {
      id,
      name: toolName,
      index: this.#place(),
      isJson: inputEncoding !== 'text',
      isNew: false,
      text: '',
    };
    const calls = this.#calls.get(id);
    if (calls === undefined) this.#calls.set(id, [call]);
    else calls.push(call);
    return this.#emit({ type: 'tool-call-delta', index: call.index, id, name: toolName, text: '' });
  }

  #addArguments({ id, delta }: Of<'tool-input-delta'>): Pressure {
    const call = this.#calls.get(id)?.at(-1);
    if (call === undefined || !call.isJson || delta === '') return undefined;
    this.#count(delta);
    call.text += delta;
    return this.#emit({ type: 'tool-call-delta', index: call.index, text: delta });
  }

  #endCall(part: Of<'tool-call'>): Pressure {
    if (part.providerExecuted === true || this.#executed.delete(part.toolCallId)) {
      addOther(this.#others, part);
      return undefined;
    }
    const call = this.#takeCall(part) ?? this.#newCall(part);
    return this.#closeCall(call, toolCall(part), part.input);
  }

  /** The open call that this is the end of: of several with one id, the one with these arguments. */
  #takeCall({ toolCallId, input }: Of<'tool-call'>): OpenCall | undefined {
    const calls = this.#calls.get(toolCallId);
    if (calls === undefined) return undefined;
    const [call] = calls.splice(
      Math.max(
        0,
        calls.findIndex(({ text }) => text === input),
      ),
      1,
    );
    if (calls.length === 0) this.#calls.delete(toolCallId);
    return call;
  }

  #newCall({ toolCallId, toolName }: Of<'tool-call'>): OpenCall {
    return { id: toolCallId, name: toolName, index: this.#place(), isJson: true, isNew: true, text: '' };
  }

  #closeCall({ id, name, index, isNew, text: sent }: OpenCall, part: AssistantPart, text: string): Pressure {
    this.#content[index] = part;
    const whole = text.trim() === '' ? '{}' : text;
    // What was streamed is not what came of it: the end says so.
    if (sent !== '') return this.#emit({ type: 'part-end', index, ...(sent === whole ? {} : { part }) });
    const names = isNew ? { id, name } : {};
    return this.#emitBoth(
      { type: 'tool-call-delta', index, ...names, text: whole },
      { type: 'part-end', index },
    );
  }

  #addFile(content: Of<'file'>): Pressure {
    const part = file(content);
    const index = this.#place();
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

/** Providers that know no `interrupted` say `other`, and nothing of their own, when a stream ends before its last event. */
function isUnfinished({ unified, raw }: Of<'finish'>['finishReason']): boolean {
  return unified === 'interrupted' || (unified === 'other' && raw === undefined);
}
