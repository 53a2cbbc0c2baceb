import type { LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';
import {
  textOf,
  type AssistantMessage,
  type AssistantPart,
  type JsonObject,
  type Message,
  type ToolMessage,
} from '@shallot/core';
import { modelError, type FilePart, type TextPart } from '@shallot/core/model';

import type { LanguageModel, PromptMessage } from './language-model.ts';
import {
  isJsonObject,
  originOf,
  ownKeys,
  ownMetadata,
  providerName,
  type ProviderMetadata,
} from './metadata.ts';
import { callIdWriter, safeToolName } from './provider-names.ts';

/** Their packages refuse a system message behind the first other one. */
const systemOnlyFirst: ReadonlySet<string> = new Set(['google', 'amazon-bedrock']);

type PartOf<Role> = Extract<PromptMessage, { readonly role: Role }>['content'] extends infer C
  ? C extends readonly (infer P)[]
    ? P
    : never
  : never;
type UserPart = PartOf<'user'>;
type AnswerPart = PartOf<'assistant'>;
type ResultPart = Extract<PartOf<'tool'>, { readonly type: 'tool-result' }>;

/**
 * Writes a history as the prompt of one model. A message is converted once, however often it is sent: messages are frozen.
 * What only other providers understand is left out.
 */
export class PromptWriter {
  readonly #taggedFiles: boolean;
  readonly #provider: string;
  readonly #isOwn: (key: string) => boolean;
  readonly #callId: (id: string) => string;
  readonly #converted = new WeakMap<Message, PromptMessage | null>();

  constructor({ provider, specificationVersion }: Pick<LanguageModel, 'provider' | 'specificationVersion'>) {
    this.#taggedFiles = specificationVersion === 'v4';
    this.#provider = providerName(provider);
    this.#isOwn = ownKeys(provider);
    this.#callId = callIdWriter(provider);
  }

  write(instructions: string, messages: readonly Message[]): PromptMessage[] {
    const prompt: PromptMessage[] = instructions === '' ? [] : [{ role: 'system', content: instructions }];
    /** The results of one step, which some providers want in one message. */
    let results: ResultPart[] | undefined;
    let begun = false;
    for (const message of messages) {
      const converted = this.#once(message);
      if (converted === null) continue;
      begun ||= converted.role !== 'system';
      if (converted.role === 'system' && begun && systemOnlyFirst.has(this.#provider)) {
        results = undefined;
        prompt.push(asUser(converted.content));
      } else if (converted.role !== 'tool') {
        results = undefined;
        prompt.push(converted);
      } else if (results === undefined) {
        // A copy: others are added to it, and the converted message is kept.
        results = [...(converted.content as ResultPart[])];
        prompt.push({ ...converted, content: results } as PromptMessage);
      } else {
        results.push(...(converted.content as ResultPart[]));
      }
    }
    return prompt;
  }

  #once(message: Message): PromptMessage | null {
    const known = this.#converted.get(message);
    if (known !== undefined) return known;
    const converted = this.#convert(message);
    this.#converted.set(message, converted);
    return converted;
  }

  /** Null for a message of which nothing is left. */
  #convert(message: Message): PromptMessage | null {
    const options = this.#options(message.metadata);
    if (message.role === 'system') return { role: 'system', content: textOf(message), ...options };
    if (message.role === 'tool') {
      return { role: 'tool', content: [this.#toolResult(message)], ...options } as PromptMessage;
    }
    const content: readonly unknown[] =
      message.role === 'user' ? this.#userParts(message.content) : this.#answerParts(message);
    return content.length === 0 ? null : ({ role: message.role, content, ...options } as PromptMessage);
  }

  #userParts(parts: readonly (TextPart | FilePart)[]): UserPart[] {
    return parts.flatMap((part) => {
      if (part.type === 'file') return [this.#file(part) as UserPart];
      const options = this.#options(part.metadata);
      return part.text === '' ? [] : [{ type: 'text', text: part.text, ...options }];
    });
  }

  #answerParts(message: AssistantMessage): AnswerPart[] {
    const origin = originOf(message.metadata);
    const isForeign = origin !== undefined && providerName(origin) !== this.#provider;
    return message.content.flatMap((part) => this.#answerPart(part, isForeign) ?? []);
  }

  #answerPart(part: AssistantPart, isForeign: boolean): AnswerPart | undefined {
    const options = this.#options(part.metadata);
    switch (part.type) {
      case 'text':
        return part.text === '' && options === undefined
          ? undefined
          : { type: 'text', text: part.text, ...options };
      case 'reasoning':
        // What another model thought is worth nothing to this one, and would be refused or taken for its answer.
        if (options === undefined && (isForeign || part.metadata !== undefined)) return undefined;
        return { type: 'reasoning', text: part.text, ...options };
      case 'tool-call':
        return {
          type: 'tool-call',
          toolCallId: this.#callId(part.id),
          toolName: safeToolName(part.name),
          // Providers take objects only; of what was none, the result says what was wrong.
          input: isJsonObject(part.input) ? part.input : {},
          ...options,
        };
      case 'file':
        return this.#file(part) as AnswerPart;
    }
  }

  #file(part: FilePart): unknown {
    const { mediaType, name } = part;
    return {
      type: 'file',
      mediaType,
      data: this.#fileData(part),
      ...(name === undefined ? {} : { filename: name }),
      ...this.#options(part.metadata),
    };
  }

  #fileData({ data = '', url }: FilePart): unknown {
    if (url === undefined) return this.#taggedFiles ? { type: 'data', data } : data;
    const parsed = absoluteUrl(url);
    return this.#taggedFiles ? { type: 'url', url: parsed, originalUrl: url } : parsed;
  }

  #toolResult(message: ToolMessage): ResultPart {
    return {
      type: 'tool-result',
      toolCallId: this.#callId(message.callId),
      toolName: safeToolName(message.name),
      output: this.#output(message) as LanguageModelV4ToolResultOutput,
    };
  }

  #output(message: ToolMessage): unknown {
    const { content, denied, isError } = message;
    const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    if (denied !== undefined)
      return { type: 'execution-denied', reason: text === '' ? (denied.reason ?? 'denied') : text };
    if (content.some((part) => part.type === 'file')) {
      return { type: 'content', value: content.map((part) => this.#resultPart(part)) };
    }
    return { type: isError === true ? 'error-text' : 'text', value: text };
  }

  #resultPart(part: TextPart | FilePart): unknown {
    const options = this.#options(part.metadata);
    if (part.type === 'text') return { type: 'text', text: part.text, ...options };
    if (this.#taggedFiles) return this.#file(part);
    const { mediaType, data, url, name } = part;
    const kind = mediaType.startsWith('image/') ? 'image' : 'file';
    if (url !== undefined) return { type: `${kind}-url`, url, ...options };
    return {
      type: `${kind}-data`,
      data: data ?? '',
      mediaType,
      ...(name !== undefined && kind === 'file' ? { filename: name } : {}),
      ...options,
    };
  }

  #options(metadata: JsonObject | undefined): { readonly providerOptions: ProviderMetadata } | undefined {
    const own = ownMetadata(metadata, this.#isOwn);
    return own === undefined ? undefined : { providerOptions: own };
  }
}

function absoluteUrl(url: string): URL {
  const parsed = URL.parse(url);
  if (parsed !== null) return parsed;
  const shown = JSON.stringify(url.length > 100 ? `${url.slice(0, 99)}…` : url);
  throw modelError('MODEL_BAD_REQUEST', {
    message: `The url of a file is ${shown}, which providers cannot fetch. Write a whole one (https://…), or give the file as data.`,
  });
}

function asUser(system: string): PromptMessage {
  return { role: 'user', content: [{ type: 'text', text: `<system>\n${system}\n</system>` }] };
}
