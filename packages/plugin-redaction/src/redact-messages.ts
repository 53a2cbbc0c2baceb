import type { Message, ToolResult } from '@shallot/core';
import type { ModelResponse } from '@shallot/core/model';

import type { TextRedaction } from './text-redaction.ts';

type Part = Message['content'][number];

/** A part without what the redaction finds; the same one if there is nothing. */
export function redactPart<P extends Part>(part: P, redaction: TextRedaction): P {
  if (part.type === 'file') return part;
  if (part.type === 'tool-call') {
    const input = redaction.json(part.input);
    const raw = part.raw === undefined ? undefined : redaction.text(part.raw);
    if (input === part.input && raw === part.raw) return part;
    return raw === undefined ? { ...part, input } : { ...part, input, raw };
  }
  const text = redaction.text(part.text);
  if (text === part.text) return part;
  // A signature would not fit the text any more, and may hold it.
  const { metadata: _metadata, ...rest } = part;
  return { ...rest, text } as P;
}

/** Parts without what the redaction finds; the same list if there is nothing. */
function redactParts<P extends Part>(parts: readonly P[], redaction: TextRedaction): readonly P[] {
  const redacted = parts.map((part) => redactPart(part, redaction));
  return redacted.some((part, index) => part !== parts[index]) ? redacted : parts;
}

export function redactMessage(message: Message, redaction: TextRedaction): Message {
  const content = redactParts<Part>(message.content, redaction);
  const redacted = content === message.content ? message : ({ ...message, content } as Message);
  if (redacted.role !== 'tool' || redacted.data === undefined) return redacted;
  const data = redaction.json(redacted.data);
  return data === redacted.data ? redacted : { ...redacted, data };
}

export function redactResponse(response: ModelResponse, redaction: TextRedaction): ModelResponse {
  const { message } = response;
  const content = redactParts(message.content, redaction);
  return content === message.content ? response : { ...response, message: { ...message, content } };
}

export function redactResult(result: ToolResult, redaction: TextRedaction): ToolResult {
  const content = redactParts(result.content, redaction);
  const data = result.data === undefined ? undefined : redaction.json(result.data);
  const reason = result.denied?.reason === undefined ? undefined : redaction.text(result.denied.reason);
  if (content === result.content && data === result.data && reason === result.denied?.reason) return result;
  return {
    ...result,
    content,
    ...(data === undefined ? {} : { data }),
    ...(result.denied === undefined || reason === undefined ? {} : { denied: { ...result.denied, reason } }),
  };
}
