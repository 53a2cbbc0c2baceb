import { textOf, type AssistantMessage, type ToolMessage, type UserMessage } from '@shallot/core';
import { editedInput } from '@shallot/core/work';

import type { UiChunk, UiPart } from './ui-chunk.ts';

type AssistantPart = AssistantMessage['content'][number];
type UserPart = UserMessage['content'][number];
type Source = Omit<AssistantPart & { readonly type: 'source' }, 'type'>;
type Citation = NonNullable<(AssistantPart & { readonly type: 'text' })['citations']>[number];

/** Returns the chunks of a part of an answer of which the client has nothing yet. */
export function partChunks(part: AssistantPart, id: string): readonly UiChunk[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [{ type: `${part.type}-start`, id }, ...restChunks(part, { id, shown: '' })];
    case 'tool-call':
      return [inputChunk(part)];
    case 'provider-call':
      return [{ ...inputChunk(part), providerExecuted: true }];
    case 'provider-result':
      return [providerOutput(part)];
    case 'file':
      return [{ type: 'file', mediaType: part.mediaType, url: fileUrl(part) }];
    case 'source':
      return [sourceChunk(part)];
  }
}

/** Returns the chunks that complete a text of which the client has the beginning. */
export function restChunks(
  part: AssistantPart & { readonly type: 'text' | 'reasoning' },
  { id, shown }: { readonly id: string; readonly shown: string },
): readonly UiChunk[] {
  const delta = part.text.slice(shown.length);
  const citations = part.type === 'text' ? part.citations?.map(citationOf) : undefined;
  return [
    ...(delta === '' ? [] : [{ type: `${part.type}-delta`, id, delta }]),
    { type: `${part.type}-end`, id, ...(citations === undefined ? {} : { citations }) },
  ];
}

/** Returns the chunk of a call with all of its input. */
export function inputChunk({ id, name, input }: { id: string; name: string; input: unknown }): UiChunk {
  return { type: 'tool-input-available', toolCallId: id, toolName: name, input };
}

/** Returns the chunks of the result of a call: its output, an error, or a denial. An input that was changed comes first. */
export function resultChunks(message: ToolMessage): readonly UiChunk[] {
  const { callId: toolCallId, name, denied } = message;
  const edited = editedInput(message);
  const input = edited === undefined ? [] : [inputChunk({ id: toolCallId, name, input: edited })];
  if (denied !== undefined) {
    const approvalId = `denied-${toolCallId}`;
    const reason = denied.reason ?? textOf(message);
    return [
      { type: 'tool-approval-request', approvalId, toolCallId },
      { type: 'tool-approval-response', approvalId, approved: false, reason },
      { type: 'tool-output-denied', toolCallId },
    ];
  }
  return message.isError === true
    ? [...input, { type: 'tool-output-error', toolCallId, errorText: textOf(message) }]
    : [...input, { type: 'tool-output-available', toolCallId, output: outputOf(message) }];
}

/** Returns the chunk of a message that was sent to a run in progress. */
export function steeringChunk({ id, content }: UserMessage): UiChunk {
  return { type: 'steering-message', id, parts: content.map(userPart) };
}

/** Returns a part of a user message in the form in which clients keep it. */
export function userPart(part: UserPart): UiPart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { mediaType, name } = part;
  return { type: 'file', mediaType, url: fileUrl(part), ...(name === undefined ? {} : { filename: name }) };
}

function fileUrl({ mediaType, data, url }: UserPart & { readonly type: 'file' }): string {
  return url ?? `data:${mediaType};base64,${data ?? ''}`;
}

function outputOf(message: ToolMessage): unknown {
  const { data, content } = message;
  if (data !== undefined) return data;
  return content.every(({ type }) => type === 'text') ? textOf(message) : content.map(userPart);
}

function providerOutput({
  callId: toolCallId,
  result,
  isError,
}: AssistantPart & { readonly type: 'provider-result' }): UiChunk {
  const by = { toolCallId, providerExecuted: true };
  return isError === true
    ? {
        type: 'tool-output-error',
        ...by,
        errorText: typeof result === 'string' ? result : JSON.stringify(result),
      }
    : { type: 'tool-output-available', ...by, output: result };
}

function sourceChunk(source: Source): UiChunk {
  const { id: sourceId, ...rest } = sourceOf(source);
  return 'url' in rest
    ? { type: 'source-url', sourceId, ...rest }
    : { type: 'source-document', sourceId, ...rest };
}

function citationOf({ source, start, end, quote }: Citation): object {
  const cited = sourceOf(source);
  return {
    source: { type: 'source', sourceType: 'url' in cited ? 'url' : 'document', ...cited },
    ...(start === undefined ? {} : { startIndex: start }),
    ...(end === undefined ? {} : { endIndex: end }),
    ...(quote === undefined ? {} : { citedText: quote }),
  };
}

type SourceFields = { readonly id: string } & Readonly<
  (Record<'url', string> & { title?: string }) | { mediaType: string; title: string; filename?: string }
>;

/**
 * Returns the fields of a source: a page if it has a URL, otherwise a document, which needs a media type and a title.
 */
function sourceOf({ id, url, title, mediaType, name }: Source): SourceFields {
  if (url !== undefined) return { id, url, ...(title === undefined ? {} : { title }) };
  return {
    id,
    mediaType: mediaType ?? 'application/octet-stream',
    title: title ?? name ?? id,
    ...(name === undefined ? {} : { filename: name }),
  };
}
