import type { Message, ToolResult } from '@shallot/core';
import type { ModelResponse, Source, TextPart } from '@shallot/core/model';

import type { TextRedaction } from './text-redaction.ts';

type Part = Message['content'][number];

/** A part without what the redaction finds; the same one if there is nothing. No part is searched twice. */
export function redactPart<P extends Part>(part: P, redaction: TextRedaction): P {
  if (redaction.isClean(part)) return part;
  const redacted = redactedPart(part, redaction);
  // What is not frozen may change, unless it was made here.
  if (redacted !== part || Object.isFrozen(part)) redaction.noteClean(redacted);
  return redacted;
}

function redactedPart<P extends Part>(part: P, redaction: TextRedaction): P {
  if (part.type === 'file') return part;
  if (part.type === 'source') return redactSource<Extract<Part, { type: 'source' }>>(part, redaction) as P;
  if (part.type === 'provider-call') {
    const input = redaction.json(part.input);
    return input === part.input ? part : { ...part, input };
  }
  if (part.type === 'provider-result') {
    const result = redaction.json(part.result, isEncrypted);
    return result === part.result ? part : { ...part, result };
  }
  if (part.type === 'tool-call') {
    const input = redaction.json(part.input);
    const raw = part.raw === undefined ? undefined : redaction.text(part.raw);
    if (input === part.input && raw === part.raw) return part;
    return raw === undefined ? { ...part, input } : { ...part, input, raw };
  }
  const text = redaction.text(part.text);
  const citations = part.type === 'text' ? redactCitations(part.citations, redaction) : undefined;
  if (text === part.text && (part.type === 'reasoning' || citations === part.citations)) return part;
  // A signature would not fit the text any more, and may hold it; neither would the ranges of citations.
  return { type: part.type, text } as P;
}

function redactSource<S extends Source>(source: S, redaction: TextRedaction): S {
  const { url, title, name } = source;
  const [newUrl, newTitle, newName] = [url, title, name].map((text) => text && redaction.text(text));
  if (newUrl === url && newTitle === title && newName === name) return source;
  return {
    ...source,
    ...(newUrl === undefined ? {} : { url: newUrl }),
    ...(newTitle === undefined ? {} : { title: newTitle }),
    ...(newName === undefined ? {} : { name: newName }),
  };
}

/** The same list if there is nothing to redact in it, else none. */
function redactCitations(
  citations: TextPart['citations'],
  redaction: TextRedaction,
): TextPart['citations'] | undefined {
  const isClean = citations?.every(
    ({ source, quote = '' }) => redaction.text(quote) === quote && redactSource(source, redaction) === source,
  );
  return isClean === true ? citations : undefined;
}

/** What a provider wants back as it is, and nobody else can read. */
function isEncrypted(text: string): boolean {
  return text.length >= 100 && /^[\w+/=-]+$/.test(text);
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
