import { textOf, type AssistantPart, type Message, type Tool, type ToolMessage } from '@shallot/core';
import type { FilePart, FinishReason } from '@shallot/core/model';

import { finishReasons, type Edition } from './semconv.ts';

/** A message in the shape of the conventions. */
export interface MessageJson {
  readonly role: string;
  readonly parts: readonly PartJson[];
  /** The finish reason of an answer, in edition 1.41. */
  readonly finish_reason?: string;
}

/** A part of a message in the shape of the conventions. */
export type PartJson = { readonly type: string } & Readonly<Record<string, unknown>>;

/** Returns the value of `gen_ai.input.messages`. */
export function toInputMessages(messages: readonly Message[]): MessageJson[] {
  return messages.map((message) => ({ role: message.role, parts: partsOf(message) }));
}

/** Returns the value of `gen_ai.output.messages`, with one answer. */
export function toOutputMessages(
  message: { readonly content: readonly AssistantPart[] },
  finish: FinishReason,
  edition: Edition = '1.41',
): MessageJson[] {
  const said = { role: 'assistant', parts: message.content.map(toPart) };
  // In later editions, the reasons are in an attribute of their own.
  return [edition === '1.41' ? { ...said, finish_reason: finishReasons[finish] } : said];
}

/** Returns the value of `gen_ai.system_instructions`. */
export function toSystemInstructions(instructions: string): PartJson[] {
  return [{ type: 'text', content: instructions }];
}

/** Returns the value of `gen_ai.tool.definitions`. */
export function toToolDefinitions(tools: readonly Tool[]): PartJson[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    parameters: inputSchema,
  }));
}

/** Returns a tool's answer: text if it is only text, else parts. */
export function toToolResponse({ content }: Pick<ToolMessage, 'content'>): string | PartJson[] {
  const texts = content.filter((part) => part.type === 'text');
  return texts.length === content.length ? textOf({ content }) : content.map(toPart);
}

function partsOf(message: Message): PartJson[] {
  if (message.role !== 'tool') return message.content.map(toPart);
  return [{ type: 'tool_call_response', id: message.callId, response: toToolResponse(message) }];
}

function toPart(part: AssistantPart): PartJson {
  switch (part.type) {
    case 'text':
      return part.citations === undefined
        ? { type: 'text', content: part.text }
        : { type: 'text', content: part.text, citations: part.citations };
    case 'reasoning':
      return { type: 'reasoning', content: part.text };
    case 'tool-call':
      return { type: 'tool_call', id: part.id, name: part.name, arguments: part.raw ?? part.input };
    case 'file':
      return toFilePart(part);
    case 'provider-call': {
      const { id, name, input } = part;
      return { type: 'server_tool_call', id, name, server_tool_call: { type: name, input } };
    }
    case 'provider-result': {
      const { callId, name, result } = part;
      return {
        type: 'server_tool_call_response',
        id: callId,
        server_tool_call_response: { type: name, result },
      };
    }
    case 'source': {
      const { metadata: _metadata, ...source } = part;
      return source;
    }
  }
}

const modalities: ReadonlySet<string> = new Set(['image', 'video', 'audio']);

/** Describes a file without its bytes, which would be sent again with each call. */
function toFilePart({ mediaType, data, url }: FilePart): PartJson {
  const [kind = ''] = mediaType.split('/');
  const about = { mime_type: mediaType, modality: modalities.has(kind) ? kind : 'document' };
  if (url !== undefined) return { type: 'uri', ...about, uri: url };
  return { type: 'blob', ...about, byte_size: Buffer.byteLength(data ?? '', 'base64'), content: '' };
}
