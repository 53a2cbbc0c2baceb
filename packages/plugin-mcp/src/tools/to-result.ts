import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import type { JsonValue, ToolResult } from '@shallot/core';
import { clipText, textPart, visible } from '@shallot/core/plugin';

type Part = ToolResult['content'][number];

/**
 * Converts a server's result: texts are shortened to `maxChars` in total, images and audio become files, links become
 * texts, or files if their type can be shown. With a `fault`, returns an error result without data.
 */
export function toResult(result: CallToolResult, maxChars: number, fault?: string): ToolResult {
  const { structuredContent, isError } = result;
  const parts = (result.content ?? []).flatMap(partsOf);
  const shown = parts.length === 0 && structuredContent !== undefined ? [jsonPart(structuredContent)] : parts;
  if (fault !== undefined) {
    const intro = textPart(
      `The tool was executed, but its result does not match the outputSchema of its server:\n${visible(fault)}\nThe result:`,
    );
    return { content: cutTexts([intro, ...shown], maxChars), isError: true };
  }
  const data = dataOf(structuredContent, maxChars);
  return {
    content: cutTexts(shown, maxChars),
    ...(data === undefined ? {} : { data }),
    ...(isError === true ? { isError } : {}),
  };
}

/** Returns a server's JSON for programs; undefined if it is too large. */
function dataOf(structured: unknown, maxChars: number): JsonValue | undefined {
  if (structured === undefined) return undefined;
  // It was parsed from JSON.
  return JSON.stringify(structured).length > maxChars ? undefined : (structured as JsonValue);
}

function jsonPart(value: unknown): Part {
  return textPart(JSON.stringify(value));
}

/** Types that models can process. By the protocol, https links can be fetched without the server. */
const isShown = /^(?:image|audio|video)\/|^application\/pdf$/;

export function partsOf(block: ContentBlock): Part[] {
  switch (block.type) {
    case 'text':
      return [textPart(block.text)];
    case 'image':
    case 'audio':
      return [{ type: 'file', mediaType: block.mimeType, data: block.data }];
    case 'resource_link': {
      const { name, uri, mimeType, description } = block;
      const type = mimeType === undefined ? '' : ` (${mimeType})`;
      const about = description === undefined ? '' : `: ${description}`;
      const link = textPart(visible(`Resource ${name} <${uri}>${type}${about}`));
      return mimeType !== undefined && isShown.test(mimeType) && uri.startsWith('https://')
        ? [link, { type: 'file', mediaType: mimeType, url: uri, name }]
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
  return [{ type: 'file', mediaType: mimeType ?? 'application/octet-stream', data: blob, name: uri }];
}

/** Shortens texts to a total number of characters. Each keeps its head and tail; earlier texts take precedence. */
export function cutTexts(parts: readonly Part[], maxChars: number): Part[] {
  let left = maxChars;
  return parts.map((part) => {
    if (part.type !== 'text') return part;
    const { length } = part.text;
    const note = `\n[… cut by ${length - left} of ${length} characters …]\n`;
    const text = left <= note.length && length > left ? note.trim() : clipText(part.text, left, note);
    left = Math.max(0, left - text.length);
    return textPart(text);
  });
}
