import { RequestError, type ContentBlock, type ToolCallContent } from '@agentclientprotocol/sdk';
import type { MessageInput } from '@shallot/core';
import type { FilePart, TextPart } from '@shallot/core/model';
import { textPart } from '@shallot/core/plugin';

/** The maximum size of a prompt, in characters of its blocks as JSON: about the limit for a message to a run in progress. */
const maxPrompt = 8_000_000;

/**
 * Returns the message of a prompt. @throws a request error for a prompt that is too long, or has a block that cannot be
 * part of a message
 */
export function messageOfBlocks(blocks: readonly ContentBlock[]): MessageInput & { readonly role: 'user' } {
  const size = blocks.reduce((sum, block) => sum + JSON.stringify(block).length, 0);
  if (size > maxPrompt)
    throw RequestError.invalidParams(
      { code: 'MESSAGE_INVALID' },
      `The prompt has ${size} characters, and ${maxPrompt} are the most that is taken. Name the file instead of embedding it.`,
    );
  return { role: 'user', content: blocks.map(partOf) };
}

function partOf(block: ContentBlock): TextPart | FilePart {
  switch (block.type) {
    case 'text':
      return textPart(block.text);
    case 'image':
    case 'audio':
      return { type: 'file', mediaType: block.mimeType, data: base64Of(block.data, block.type) };
    case 'resource_link':
      return textPart(`[${block.title ?? block.name}](${block.uri})`);
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return textPart(embedded(resource.uri, resource.text));
      const mediaType = resource.mimeType ?? 'application/octet-stream';
      return {
        type: 'file',
        mediaType,
        data: base64Of(resource.blob, 'resource'),
        name: nameOf(resource.uri),
      };
    }
    default:
      throw RequestError.invalidParams(
        { code: 'MESSAGE_INVALID' },
        `A prompt cannot have a block like ${JSON.stringify(block).slice(0, 80)}.`,
      );
  }
}

/** Returns the text of a file for the model, in a fence that is longer than any fence in the text. */
function embedded(uri: string, text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/g), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${uri}\n${fence}\n${text}\n${fence}`;
}

function nameOf(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1);
}

function base64Of(data: string, what: string): string {
  if (data !== '' && /^[A-Za-z0-9+/]+={0,2}$/.test(data) && data.length % 4 === 0) return data;
  throw RequestError.invalidParams(
    { code: 'MESSAGE_INVALID' },
    `The data of the ${what} is not base64. Send the bytes of the file in base64.`,
  );
}

/** Returns a part of a message as an editor shows it. */
export function blockOf(part: TextPart | FilePart): ContentBlock {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { mediaType, data, url, name } = part;
  if (data === undefined) {
    const uri = url ?? '';
    return { type: 'resource_link', uri, name: name ?? nameOf(uri), mimeType: mediaType };
  }
  if (mediaType.startsWith('image/')) return { type: 'image', mimeType: mediaType, data };
  if (mediaType.startsWith('audio/')) return { type: 'audio', mimeType: mediaType, data };
  return { type: 'resource', resource: { uri: name ?? 'file', mimeType: mediaType, blob: data } };
}

/** Returns a part of a tool's result as an editor shows it. */
export function contentOf(part: TextPart | FilePart): ToolCallContent {
  return { type: 'content', content: blockOf(part) };
}

/** The most characters of the first message that become the title of its session. */
const maxTitle = 80;

/** Returns the title of a session that begins with a message: its first text, on one line. */
export function titleOf({ content }: MessageInput): string {
  const parts = typeof content === 'string' ? [] : content;
  const first = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))[0];
  const line = (first ?? '').replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ').trim();
  return line.length <= maxTitle ? line : `${line.slice(0, maxTitle - 1)}…`;
}
