import type { LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';
import {
  textOf,
  type AssistantMessage,
  type AssistantPart,
  type JsonObject,
  type Message,
  type ToolMessage,
} from '@shallot/core';
import { fileAsText, textOfFile, type FilePart, type TextPart } from '@shallot/core/model';

import type { LanguageModel, PartOf, PromptMessage } from '../sdk/language-model.ts';
import {
  isJsonObject,
  originOf,
  ownKeys,
  ownMetadata,
  providerName,
  type ProviderMetadata,
} from '../sdk/metadata.ts';
import { callIdWriter, safeToolName } from '../sdk/provider-names.ts';
import { isDocument, withDocumentNames } from './document-names.ts';
import type { FileSupport } from './file-support.ts';
import { looseBlocks, withoutBlocks } from './loose-blocks.ts';
import { markedMessage, type CacheMark } from './marked-message.ts';
import { providerBlock } from './provider-block.ts';
import {
  beginWithUser,
  emptyText,
  isBlank,
  shapeRulesOf,
  withoutLastThoughts,
  type ShapeRules,
} from './shape-rules.ts';

/** Providers whose packages reject a system message after other messages. */
const systemOnlyFirst: ReadonlySet<string> = new Set(['google', 'amazon-bedrock']);

type UserPart = PartOf<'user'>;
type AnswerPart = PartOf<'assistant'>;
type ResultPart = Extract<PartOf<'tool'>, { readonly type: 'tool-result' }>;

/**
 * Converts a history to the prompt of one model. Each message is converted once and cached, because messages are
 * frozen. Parts that only other providers understand are left out.
 */
export class PromptWriter {
  readonly #taggedFiles: boolean;
  readonly #provider: string;
  readonly #interface: string;
  readonly #isOwn: (key: string) => boolean;
  readonly #callId: (id: string) => string;
  readonly #files: FileSupport;
  readonly #shape: ShapeRules;
  #converted = new WeakMap<Message, PromptMessage | null>();
  /** Files of results that are sent in a user message after them. */
  readonly #shownAfter = new WeakMap<Message, readonly UserPart[]>();
  #notes: string[] = [];
  readonly #noted = new WeakSet<FilePart>();
  /** Messages with provider tool calls. */
  readonly #withBlocks = new WeakSet<Message>();

  constructor(
    { provider, specificationVersion }: Pick<LanguageModel, 'provider' | 'specificationVersion'>,
    files: FileSupport,
  ) {
    this.#files = files;
    this.#taggedFiles = specificationVersion === 'v4';
    this.#provider = providerName(provider);
    this.#interface = provider;
    this.#isOwn = ownKeys(provider);
    this.#callId = callIdWriter(provider);
    this.#shape = shapeRulesOf(provider);
  }

  /** Returns the messages of the prompt. `marks` are the parts to mark for the provider's cache. */
  write(instructions: string, messages: readonly Message[], marks?: CacheMark): PromptMessage[] {
    const prompt: PromptMessage[] = isBlank(instructions)
      ? []
      : [
          markedMessage(
            { role: 'system', content: instructions },
            marks?.instructions === true ? marks : undefined,
          ),
        ];
    /** The results of one step, which some providers require in one message. */
    let results: ResultPart[] | undefined;
    const shown: UserPart[] = [];
    const show = (): void => {
      // The results of one step must be adjacent.
      if (shown.length > 0) prompt.push({ role: 'user', content: shown.splice(0) } as PromptMessage);
    };
    let begun = false;
    const all = messages.map((message) => this.#once(message));
    const loose = messages.some((message) => this.#withBlocks.has(message)) ? looseBlocks(messages) : none;
    for (const [index, message] of messages.entries()) {
      const plain = withoutBlocks(all[index] ?? null, loose);
      if (plain === null) continue;
      const converted = marks?.messages.has(message.id) === true ? markedMessage(plain, marks) : plain;
      if (converted.role === 'tool') shown.push(...(this.#shownAfter.get(message) ?? []));
      else show();
      begun ||= converted.role !== 'system';
      if (converted.role === 'system' && begun && systemOnlyFirst.has(this.#provider)) {
        results = undefined;
        prompt.push(asUser(converted.content));
      } else if (converted.role !== 'tool') {
        results = undefined;
        prompt.push(converted);
      } else if (results === undefined) {
        // A copy, because results are added to it and the converted message is cached.
        results = [...(converted.content as ResultPart[])];
        prompt.push({ ...converted, content: results } as PromptMessage);
      } else {
        results.push(...(converted.content as ResultPart[]));
      }
    }
    show();
    if (this.#shape.startsWithUser) beginWithUser(prompt);
    return this.#shape.namesDocuments ? withDocumentNames(prompt) : prompt;
  }

  /** Returns notes about files replaced by text since the last call. */
  takeNotes(): readonly string[] {
    const notes = new Set(this.#notes);
    this.#notes = [];
    return [...notes];
  }

  /** Drops converted messages, because other files of these messages are sent from now on. Default: all messages. */
  forget(messages?: readonly Message[]): void {
    if (messages === undefined) this.#converted = new WeakMap();
    else for (const message of messages) this.#converted.delete(message);
  }

  #once(message: Message): PromptMessage | null {
    const known = this.#converted.get(message);
    if (known !== undefined) return known;
    const converted = this.#convert(message);
    this.#converted.set(message, converted);
    return converted;
  }

  /** Converts a message; null if nothing of it is left. */
  #convert(message: Message): PromptMessage | null {
    const options = this.#options(message.metadata);
    if (message.role === 'system') {
      const content = textOf(message);
      return isBlank(content) ? null : { role: 'system', content, ...options };
    }
    if (message.role === 'tool') {
      return { role: 'tool', content: [this.#toolResult(message)], ...options } as PromptMessage;
    }
    const content: readonly unknown[] =
      message.role === 'user' ? this.#userParts(message.content) : this.#answerParts(message);
    return content.length === 0 ? null : ({ role: message.role, content, ...options } as PromptMessage);
  }

  #userParts(parts: readonly (TextPart | FilePart)[]): UserPart[] {
    const written = parts.flatMap((part): UserPart[] => {
      if (part.type === 'file') return [this.#fileOrText(part, 'user') as UserPart];
      const options = this.#options(part.metadata);
      return isBlank(part.text) ? [] : [{ type: 'text', text: part.text, ...options }];
    });
    const needsText = this.#shape.namesDocuments && written.every(isDocument);
    // Keeps the user's turn, so that the conversation does not end with the assistant.
    return written.length === 0 || needsText ? [{ type: 'text', text: emptyText }, ...written] : written;
  }

  #answerParts(message: AssistantMessage): readonly AnswerPart[] {
    const origin = originOf(message.metadata);
    const isForeign = origin !== undefined && providerName(origin) !== this.#provider;
    // Only the API that created provider parts accepts them back.
    const isSame = origin === this.#interface;
    if (isSame && message.content.some(({ type }) => type.startsWith('provider-')))
      this.#withBlocks.add(message);
    const parts = message.content.flatMap((part) => this.#answerPart(part, { isForeign, isSame }) ?? []);
    return withoutLastThoughts(parts);
  }

  #answerPart(
    part: AssistantPart,
    { isForeign, isSame }: { readonly isForeign: boolean; readonly isSame: boolean },
  ): AnswerPart | undefined {
    const options = this.#options(part.metadata);
    switch (part.type) {
      case 'text':
        // Text with metadata is sent back to its provider.
        return isBlank(part.text) && (options === undefined || this.#shape.refusesBlank)
          ? undefined
          : { type: 'text', text: part.text, ...options };
      case 'reasoning':
        // Reasoning of another model would be rejected or taken for text.
        if (options === undefined && (isForeign || part.metadata !== undefined)) return undefined;
        return { type: 'reasoning', text: part.text, ...options };
      case 'tool-call':
        return {
          type: 'tool-call',
          toolCallId: this.#callId(part.id),
          toolName: safeToolName(part.name),
          // Providers accept only objects; for other values, the result contains the error.
          input: isJsonObject(part.input) ? part.input : {},
          ...options,
        };
      case 'file':
        return this.#fileOrText(part, 'assistant') as AnswerPart;
      case 'provider-call':
      case 'provider-result':
        return isSame ? { ...providerBlock(part), ...options } : undefined;
      // The content of sources is in the results, as far as the provider expects it back.
      case 'source':
        return undefined;
    }
  }

  #fileOrText(part: FilePart, role: 'user' | 'assistant'): unknown {
    return this.#files.takes(part, role) ? this.#file(part) : this.#asText(part);
  }

  #asText(part: FilePart): { readonly type: string; readonly text: string } {
    const text = fileAsText(part);
    const limit = this.#files.limitOf(part);
    const note = limit === undefined ? text : `${text} ${limit.words} (${limit.page}).`;
    if (textOfFile(part) === undefined && !this.#noted.has(part)) this.#notes.push(note);
    this.#noted.add(part);
    return { type: 'text', text };
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
    const parsed = new URL(url);
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
    if (content.some((part) => part.type === 'file')) return this.#outputWithFiles(message);
    const value = isBlank(text) && this.#shape.refusesBlank ? emptyText : text;
    return { type: isError === true ? 'error-text' : 'text', value };
  }

  #outputWithFiles(message: ToolMessage): unknown {
    const { content, name, isError } = message;
    const written = content.map((part) => this.#resultPart(part));
    const value = this.#shape.joinsResultTexts
      ? joinedTexts(written)
      : written.filter(({ text }) => text === undefined || !isBlank(text));
    const after = content.filter((part) => part.type === 'file' && this.#files.placeOf(part) === 'after');
    const intro = { type: 'text', text: `[Files of the result of ${safeToolName(name)}:]` };
    const files = (after as FilePart[]).map((part) => this.#file(part));
    this.#shownAfter.set(message, (files.length === 0 ? [] : [intro, ...files]) as UserPart[]);
    const isText = value.every((part) => part.type === 'text');
    if (!isText) return { type: 'content', value };
    // Some packages write anything but text as JSON.
    const text = value.map((part) => part.text ?? '').join('\n');
    return { type: isError === true ? 'error-text' : 'text', value: text };
  }

  #resultPart(part: TextPart | FilePart): WrittenPart {
    const options = this.#options(part.metadata);
    if (part.type === 'text') return { type: 'text', text: part.text, ...options };
    const place = this.#files.placeOf(part);
    if (place === 'text') return this.#asText(part);
    if (place === 'after')
      return { type: 'text', text: `[${part.name ?? part.mediaType}: see the next message]` };
    if (this.#taggedFiles) return this.#file(part) as WrittenPart;
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

/** A part for a provider package, with any further members. */
interface WrittenPart {
  readonly type: string;
  readonly text?: string;
  readonly [more: string]: unknown;
}

function joinedTexts(parts: readonly WrittenPart[]): readonly WrittenPart[] {
  const text = parts.flatMap((part) => part.text ?? []).join('\n');
  return [
    { type: 'text', text: isBlank(text) ? emptyText : text },
    ...parts.filter(({ type }) => type !== 'text'),
  ];
}

const none: ReadonlySet<string> = new Set();

function asUser(system: string): PromptMessage {
  return { role: 'user', content: [{ type: 'text', text: `<system>\n${system}\n</system>` }] };
}
