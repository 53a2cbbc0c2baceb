import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import type { JsonValue, ToolResult } from '@shallot/core';
import { clipText, cutResult, textPart, visible } from '@shallot/core/plugin';

type Part = ToolResult['content'][number];

/** The limits of a result. */
export interface ResultLimits {
  /** Characters of all texts. */
  readonly maxResultChars: number;
  /** Bytes of all files. */
  readonly maxFileBytes: number;
}

/**
 * Converts a server's result: texts are shortened to a limit in total, images and audio become files, links become
 * texts, or files if their type can be shown. With a `fault`, returns an error result without data.
 */
export function toResult(result: CallToolResult, limits: ResultLimits, fault?: string): ToolResult {
  const { structuredContent, isError } = result;
  const parts = (result.content ?? []).flatMap(partsOf);
  const shown = parts.length === 0 && structuredContent !== undefined ? [jsonPart(structuredContent)] : parts;
  if (fault !== undefined) {
    const intro = textPart(
      `The tool was executed, but its result does not match the outputSchema of its server:\n${visible(fault)}\nThe result:`,
    );
    return bounded({ content: [intro, ...shown], isError: true }, limits);
  }
  const data = dataOf(structuredContent, limits.maxResultChars);
  const all = {
    content: shown,
    ...(data === undefined ? {} : { data }),
    ...(isError === true ? { isError } : {}),
  };
  return bounded(all, limits);
}

/** The most characters of data. They are fewer than for text, because stores keep data whole. */
const maxDataChars = 100_000;

/** Returns a server's JSON for programs; undefined if it is too large. */
function dataOf(structured: unknown, maxChars: number): JsonValue | undefined {
  if (structured === undefined) return undefined;
  // It was parsed from JSON.
  return JSON.stringify(structured).length > Math.min(maxChars, maxDataChars)
    ? undefined
    : (structured as JsonValue);
}

function jsonPart(value: unknown): Part {
  return textPart(JSON.stringify(value));
}

/** A media type without parameters (RFC 6838). */
const isMediaType = /^[a-z]{1,20}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,100}$/i;

function shownType(type: string): string {
  return visible(JSON.stringify(type.slice(0, 100)));
}

/** Types that models can process. By the protocol, https links can be fetched without the server. */
const isShown = /^(?:image|audio|video)\/|^application\/pdf$/;

export function partsOf(block: ContentBlock): Part[] {
  switch (block.type) {
    case 'text':
      return [textPart(block.text)];
    case 'image':
    case 'audio':
      return block.mimeType.startsWith(`${block.type}/`) && isMediaType.test(block.mimeType)
        ? [{ type: 'file', mediaType: block.mimeType, data: block.data }]
        : [textPart(`(The server sent ${block.type} content of the type ${shownType(block.mimeType)}.)`)];
    case 'resource_link': {
      const { name, uri, mimeType, description } = block;
      const type = mimeType === undefined ? '' : ` (${mimeType})`;
      const about = description === undefined ? '' : `: ${description}`;
      const link = textPart(visible(`Resource ${name} <${uri}>${type}${about}`));
      const isFile = mimeType !== undefined && isShown.test(mimeType) && isMediaType.test(mimeType);
      return isFile && uri.startsWith('https://')
        ? [link, { type: 'file', mediaType: mimeType, url: uri, name: visible(name.slice(0, 200)) }]
        : [link];
    }
    case 'resource':
      return resourceParts(block.resource);
    default:
      return [textPart('(The server sent content of a kind that is not known.)')];
  }
}

/** Converts the contents of a resource: text with its URI, or a file. */
export function resourceParts(resource: {
  readonly uri: string;
  readonly mimeType?: string | undefined;
  readonly text?: string;
  readonly blob?: string;
}): Part[] {
  const { uri, mimeType, text, blob } = resource;
  if (text !== undefined) return [textPart(`${visible(uri)}:\n${text}`)];
  if (blob === undefined) return [textPart(`${visible(uri)}: (no content)`)];
  const isType = mimeType !== undefined && isMediaType.test(mimeType);
  const mediaType = isType ? mimeType : 'application/octet-stream';
  return [{ type: 'file', mediaType, data: blob, name: visible(uri.slice(0, 200)) }];
}

/** Applies the limits to the texts and files of a result, and marks it if something is left out. */
export function bounded(result: ToolResult, { maxResultChars, maxFileBytes }: ResultLimits): ToolResult {
  const content = cutTexts(withoutLargeFiles(result.content, maxFileBytes), maxResultChars);
  const isWhole = content.every((part, index) => part === result.content[index]);
  return isWhole ? result : cutResult({ ...result, content });
}

/** Replaces files by notes once a total number of bytes is reached; earlier files take precedence. */
function withoutLargeFiles(parts: readonly Part[], maxBytes: number): Part[] {
  let left = maxBytes;
  return parts.map((part) => {
    if (part.type !== 'file' || part.data === undefined) return part;
    const bytes = Math.floor((part.data.length * 3) / 4);
    if (bytes > left)
      return textPart(
        `(A file of the type ${part.mediaType} with ${bytes} bytes was left out: the files of a result may have ${maxBytes} bytes.)`,
      );
    left -= bytes;
    return part;
  });
}

/** Shortens texts to a total number of characters. Each keeps its head and tail; earlier texts take precedence. */
export function cutTexts(parts: readonly Part[], maxChars: number): Part[] {
  let left = maxChars;
  return parts.map((part) => {
    if (part.type !== 'text') return part;
    const { length } = part.text;
    if (length <= left) {
      left -= length;
      return part;
    }
    const note = `\n[… cut by ${length - left} of ${length} characters …]\n`;
    const text = left <= note.length ? note.trim() : clipText(part.text, left, note);
    left = Math.max(0, left - text.length);
    return textPart(text);
  });
}
