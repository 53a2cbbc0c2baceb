import { textOf, type ToolMessage, type UserMessage } from '@shallot/core';

import type { AgUiContent } from './ag-ui-event.ts';

type Part = UserMessage['content'][number];
type FilePart = Part & { readonly type: 'file' };

/** Returns the content of a message of the user. */
export function userContent(message: UserMessage): AgUiContent {
  const { content } = message;
  return content.every(({ type }) => type === 'text') ? textOf(message) : content.map(contentPart);
}

/** Returns the result of a call: its files, or else its data as JSON, or else its text. */
export function resultContent(message: ToolMessage): AgUiContent {
  const { content, data } = message;
  if (content.some(({ type }) => type === 'file')) return content.map(contentPart);
  if (data === undefined || typeof data === 'string') return data ?? textOf(message);
  return JSON.stringify(data);
}

/** Returns a part of the content. The type of a file follows from its media type. */
function contentPart(part: Part): object {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { mediaType: mimeType, name } = part;
  const kind = /^(image|audio|video)\//.exec(mimeType)?.[1] ?? 'document';
  return {
    type: kind,
    source: sourceOf(part, mimeType),
    ...(name === undefined ? {} : { metadata: { filename: name } }),
  };
}

function sourceOf({ data, url }: FilePart, mimeType: string): object {
  return url === undefined
    ? { type: 'data', value: data ?? '', mimeType }
    : { type: 'url', value: url, mimeType };
}
