import type { JsonObject, Message, ToolResult } from '@shallot/core';
import type { ModelResponse, Source, TextPart } from '@shallot/core/model';

import type { TextRedaction } from './text-redaction.ts';

type Part = Message['content'][number];

/**
 * Redacts a part of a message; returns the same part if there is nothing to redact. Parts are searched once, and files not
 * at all. @throws `redaction/BLOCKED`
 */
export function redactPart<P extends Part>(part: P, redaction: TextRedaction): P {
  if (redaction.isClean(part)) return part;
  const redacted = redactedPart(part, redaction);
  // Parts that are not frozen may change later, unless they were created here.
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
  // The signature and citations no longer match the redacted text, and could contain the values.
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

/** Returns the same list if there is nothing to redact in it, else undefined. */
function redactCitations(
  citations: TextPart['citations'],
  redaction: TextRedaction,
): TextPart['citations'] | undefined {
  const isClean = citations?.every(
    ({ source, quote = '' }) => redaction.text(quote) === quote && redactSource(source, redaction) === source,
  );
  return isClean === true ? citations : undefined;
}

/** Returns true for encrypted data that the provider expects unchanged. */
function isEncrypted(text: string): boolean {
  return text.length >= 100 && /^[\w+/=-]+$/.test(text);
}

/** Redacts parts; returns the same list if there is nothing to redact. */
function redactParts<P extends Part>(parts: readonly P[], redaction: TextRedaction): readonly P[] {
  const redacted = parts.map((part) => redactPart(part, redaction));
  return redacted.some((part, index) => part !== parts[index]) ? redacted : parts;
}

/** Redacts metadata too, because other plugins may store values from users or tools in it. */
function redactMetadata(metadata: JsonObject | undefined, redaction: TextRedaction): JsonObject | undefined {
  if (metadata === undefined) return undefined;
  const redacted = redaction.json(metadata, isEncrypted);
  // Redacting an object returns an object.
  return redacted === metadata ? metadata : (redacted as JsonObject);
}

export function redactMessage(message: Message, redaction: TextRedaction): Message {
  const content = redactParts<Part>(message.content, redaction);
  const metadata = redactMetadata(message.metadata, redaction);
  const isSame = content === message.content && metadata === message.metadata;
  const redacted = isSame ? message : ({ ...message, content, ...(metadata && { metadata }) } as Message);
  if (redacted.role !== 'tool' || redacted.data === undefined) return redacted;
  const data = redaction.json(redacted.data);
  return data === redacted.data ? redacted : { ...redacted, data };
}

export function redactResponseMetadata(response: ModelResponse, redaction: TextRedaction): ModelResponse {
  const { message } = response;
  const metadata = redactMetadata(message.metadata, redaction);
  return metadata === undefined || metadata === message.metadata
    ? response
    : { ...response, message: { ...message, metadata } };
}

export function redactResult(result: ToolResult, redaction: TextRedaction): ToolResult {
  const content = redactParts(result.content, redaction);
  const data = result.data === undefined ? undefined : redaction.json(result.data);
  const reason = result.denied?.reason === undefined ? undefined : redaction.text(result.denied.reason);
  const metadata = redactMetadata(result.metadata, redaction);
  const isSame = data === result.data && reason === result.denied?.reason && metadata === result.metadata;
  if (content === result.content && isSame) return result;
  return {
    ...result,
    content,
    ...(data === undefined ? {} : { data }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(result.denied === undefined || reason === undefined ? {} : { denied: { ...result.denied, reason } }),
  };
}
