import type { AssistantPart, JsonObject, JsonValue } from '@shallot/core';
import type { FilePart } from '@shallot/core/model';

import type { GeneratedContent } from './language-model.ts';
import { isJsonObject, keptMetadata, toJson } from './metadata.ts';

type Kept<Type> = Extract<GeneratedContent, { readonly type: Type }>;

/** The part of a message that a piece of generated content is; undefined for what messages do not hold. */
export function answerPart(content: GeneratedContent): AssistantPart | undefined {
  switch (content.type) {
    case 'text':
    case 'reasoning': {
      const metadata = keptMetadata(content.providerMetadata);
      return isKept(content.text, metadata) ? textualPart(content.type, content.text, metadata) : undefined;
    }
    case 'tool-call':
      // Calls that the provider executes itself are none of ours.
      return content.providerExecuted === true ? undefined : toolCall(content);
    case 'file':
      return file(content);
    default:
      return undefined;
  }
}

/** Empty parts are kept for what the provider wants back with them: a signature, for instance. */
export function isKept(text: string, metadata: JsonObject | undefined): boolean {
  return text !== '' || metadata !== undefined;
}

export function textualPart(
  type: 'text' | 'reasoning',
  text: string,
  metadata: JsonObject | undefined,
): AssistantPart {
  return metadata === undefined ? { type, text } : { type, text, metadata };
}

export function toolCall({
  toolCallId,
  toolName,
  input,
  providerMetadata,
}: Kept<'tool-call'>): AssistantPart {
  return toolCallPart(toolCallId, toolName, input, keptMetadata(providerMetadata));
}

/** A tool call of argument text; text that is not JSON is kept as it is. No text at all stands for no arguments. */
export function toolCallPart(
  id: string,
  name: string,
  text: string,
  metadata: JsonObject | undefined,
): AssistantPart {
  const call = { type: 'tool-call', id, name, ...(metadata === undefined ? {} : { metadata }) } as const;
  if (text.trim() === '') return { ...call, input: {} };
  try {
    // JSON.parse gives JSON.
    return { ...call, input: JSON.parse(text) as JsonValue };
  } catch {
    // Broken JSON is kept as the model wrote it.
    return { ...call, input: {}, raw: text };
  }
}

/** A file that the model made: bytes become base64. */
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

/** How many pieces without a place in messages are kept with the response. */
const maxOthers = 200;

/**
 * What has no place in messages, as JSON for the response's metadata: sources, calls that the provider executed, and
 * whatever newer providers bring.
 */
export function addOther(others: JsonValue[], piece: unknown): void {
  if (others.length >= maxOthers) return;
  const json = toJson(piece);
  if (!isJsonObject(json)) return;
  // The bytes of a file that belongs to the reasoning are nothing to keep.
  others.push(json['type'] === 'reasoning-file' ? { ...json, data: null } : json);
}
