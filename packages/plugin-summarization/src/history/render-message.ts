import type { AssistantPart, Message } from '@shallot/core';
import type { FilePart } from '@shallot/core/model';

/** The detail of a rendered message: whole, or with files as names only. */
export type Detail = 'whole' | 'without files';

/** Renders a message with its role and its whole content. */
export function renderMessage(message: Message, detail: Detail = 'whole'): string {
  const body = message.content.map((part) => renderPart(part, detail)).join('\n\n');
  return `### ${titleOf(message)}\n\n${body}`;
}

/** Returns the heading of a message, by which it can be found in the file. */
export function titleOf(message: Message): string {
  const by = message.source === undefined ? '' : ` (${message.source})`;
  if (message.role !== 'tool') return `${message.role}${by}`;
  return `${message.isError === true ? 'error' : 'result'} of ${message.name} ${message.callId}${by}`;
}

function renderPart(part: AssistantPart, detail: Detail): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'reasoning':
      return `Reasoning: ${part.text}`;
    case 'tool-call':
      return `Call of ${part.name} ${part.id}:\n${part.raw ?? JSON.stringify(part.input, null, 2)}`;
    case 'file':
      return renderFile(part, detail);
    case 'provider-call':
      return `Call of ${part.name} by the provider:\n${JSON.stringify(part.input, null, 2)}`;
    case 'provider-result':
      return `Result of ${part.name}:\n${JSON.stringify(part.result, null, 2)}`;
    case 'source':
      return `Source: ${[part.title, part.url ?? part.name].filter((each) => each !== undefined).join(', ')}`;
  }
}

function renderFile({ mediaType, data, url, name }: FilePart, detail: Detail): string {
  const label = name === undefined ? mediaType : `${name}, ${mediaType}`;
  if (detail !== 'whole') return `(a file: ${label})`;
  return `A file: ${label}\n${url ?? `data:${mediaType};base64,${data ?? ''}`}`;
}
