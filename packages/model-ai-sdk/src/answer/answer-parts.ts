import type { AssistantPart, JsonObject, JsonValue } from '@shallot/core';
import {
  parseArguments,
  type Citation,
  type FilePart,
  type ProviderCallPart,
  type ProviderResultPart,
  type Source,
  type SourcePart,
} from '@shallot/core/model';

import type { GeneratedContent } from '../sdk/language-model.ts';
import { isJsonObject, keptMetadata, toJson } from '../sdk/metadata.ts';

type Kept<Type> = Extract<GeneratedContent, { readonly type: Type }>;

/**
 * Returns the message part for generated content; undefined for kinds that messages cannot contain, for preliminary
 * results, and for empty texts.
 */
export function answerPart(content: GeneratedContent): AssistantPart | undefined {
  switch (content.type) {
    case 'text':
    case 'reasoning': {
      const metadata = keptMetadata(content.providerMetadata);
      if (!isKept(content.text, metadata)) return undefined;
      const citations = 'citations' in content ? citationsOf(content.citations) : undefined;
      return textualPart(content.type, content.text, metadata, citations);
    }
    case 'tool-call':
      return content.providerExecuted === true ? providerCall(content) : toolCall(content);
    case 'tool-result':
      return content.preliminary === true ? undefined : providerResult(content);
    case 'source':
      return sourcePart(content);
    case 'file':
      return file(content);
    default:
      return undefined;
  }
}

/**
 * Returns whether a part is kept. Empty parts are, if they have metadata that the provider expects back, such as a
 * signature.
 */
export function isKept(text: string, metadata: JsonObject | undefined): boolean {
  return text !== '' || metadata !== undefined;
}

export function textualPart(
  type: 'text' | 'reasoning',
  text: string,
  metadata: JsonObject | undefined,
  citations?: readonly Citation[],
): AssistantPart {
  const part = { text, ...(metadata === undefined ? {} : { metadata }) };
  if (type === 'reasoning') return { type, ...part };
  return { type, ...part, ...(citations === undefined ? {} : { citations }) };
}

/** Returns the citations of a text; undefined if there are none. */
export function citationsOf(
  citations: Extract<GeneratedContent, { readonly citations?: unknown }>['citations'],
): readonly Citation[] | undefined {
  if (citations === undefined || citations.length === 0) return undefined;
  return citations.map(({ source, startIndex, endIndex, citedText }) => ({
    source: sourceOf(source),
    ...(startIndex === undefined ? {} : { start: startIndex }),
    ...(endIndex === undefined ? {} : { end: endIndex }),
    ...(citedText === undefined ? {} : { quote: citedText }),
  }));
}

export function sourcePart(source: Kept<'source'>): SourcePart {
  const metadata = keptMetadata(source.providerMetadata);
  return { type: 'source', ...sourceOf(source), ...(metadata === undefined ? {} : { metadata }) };
}

function sourceOf(source: Kept<'source'>): Source {
  const { id, title } = source;
  const named = { id, ...(title === undefined ? {} : { title }) };
  if (source.sourceType === 'url') return { ...named, url: source.url };
  const { mediaType, filename } = source;
  return { ...named, mediaType, ...(filename === undefined ? {} : { name: filename }) };
}

/** Converts a tool call that the provider executes itself. */
export function providerCall({
  toolCallId,
  toolName,
  input,
  providerMetadata,
}: Kept<'tool-call'>): ProviderCallPart {
  const metadata = keptMetadata(providerMetadata);
  return {
    type: 'provider-call',
    id: toolCallId,
    name: toolName,
    input: parseArguments(input) ?? input,
    ...(metadata === undefined ? {} : { metadata }),
  };
}

export function providerResult({
  toolCallId,
  toolName,
  result,
  isError,
  providerMetadata,
}: Kept<'tool-result'>): ProviderResultPart {
  const metadata = keptMetadata(providerMetadata);
  return {
    type: 'provider-result',
    callId: toolCallId,
    name: toolName,
    result: toJson(result) ?? null,
    ...(isError === true ? { isError } : {}),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

export function toolCall({
  toolCallId,
  toolName,
  input,
  providerMetadata,
}: Kept<'tool-call'>): AssistantPart {
  return toolCallPart(toolCallId, toolName, input, keptMetadata(providerMetadata));
}

/** Returns a tool call for argument text. Empty text means no arguments; invalid JSON is kept as `raw`. */
export function toolCallPart(
  id: string,
  name: string,
  text: string,
  metadata: JsonObject | undefined,
): AssistantPart {
  const call = { type: 'tool-call', id, name, ...(metadata === undefined ? {} : { metadata }) } as const;
  const input = parseArguments(text);
  // Invalid JSON is kept as the model wrote it.
  return input === undefined ? { ...call, input: {}, raw: text } : { ...call, input };
}

/** Converts a file that the model generated; bytes become base64. */
export function file({ mediaType, data, providerMetadata }: Kept<'file'>): FilePart {
  const metadata = keptMetadata(providerMetadata);
  return { type: 'file', mediaType, ...fileContent(data), ...(metadata === undefined ? {} : { metadata }) };
}

function fileContent(data: Kept<'file'>['data']): { readonly data: string } | { readonly url: string } {
  if (typeof data === 'string') return { data };
  if (data instanceof Uint8Array)
    return { data: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64') };
  return data.type === 'url' ? { url: String(data.url) } : fileContent(data.data);
}

/** The most unsupported pieces kept with a response. */
const maxOthers = 200;

/** Keeps a piece that messages cannot contain, such as a new kind of part, as JSON for the metadata of the response. */
export function addOther(others: JsonValue[], piece: unknown): void {
  if (others.length >= maxOthers) return;
  const json = toJson(piece);
  if (!isJsonObject(json)) return;
  // The bytes of a file within reasoning are dropped.
  others.push(json['type'] === 'reasoning-file' ? { ...json, data: null } : json);
}
