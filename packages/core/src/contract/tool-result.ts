import { kindOf } from '../base/describe-value.ts';
import { ShallotError } from '../base/errors.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import { frozenJson, writtenJson } from '../base/json/frozen-json.ts';
import { nearest } from '../base/nearest.ts';
import { contentFault, textPart } from './messages.ts';
import type { ToolResult, ToolResultInput } from './tool.ts';

const members: readonly string[] = [
  'content',
  'data',
  'isError',
  'denied',
  'error',
  'metadata',
] satisfies (keyof ToolResult)[];

/**
 * Converts a tool's output to a result, with JSON as written by `JSON.stringify`. `lose` is called for lost
 * information. @throws the errors of `JSON.stringify`, `VALUE_NOT_JSON`, `TOOL_RESULT`
 */
export function toToolResult(output: unknown, tool: string, lose?: (lost: string) => void): ToolResult {
  if (output === undefined) return withContent([]);
  if (typeof output === 'string') return withContent([textPart(output)]);
  const written = (value: unknown, what: string): JsonValue => {
    const { json, lost } = writtenJson(value, `${what} of the tool ${tool}`);
    if (lost !== undefined) lose?.(lost);
    return json;
  };
  if (!isToolResult(output)) {
    const data = written(output, 'the result');
    return Object.freeze({ ...withContent([textPart(JSON.stringify(data))]), data });
  }
  const { data, metadata } = output;
  const asWritten = {
    ...output,
    // `checkResult` rejects invalid parts.
    content: written(partsOf(output), 'the content of the result') as unknown as ToolResult['content'],
    ...(data === undefined ? {} : { data: written(data, 'the data of the result') }),
    ...(metadata === undefined
      ? {}
      : { metadata: written(metadata, 'the metadata of the result') as JsonObject }),
  };
  return checkResult(asWritten, tool);
}

function withContent(content: ToolResult['content']): ToolResult {
  return Object.freeze({ content: Object.freeze(content) });
}

/**
 * Returns true for a value with the shape of a result. If its content is a string, all its other members must be those
 * of a result: `{ content, path }` is plain JSON.
 */
export function isToolResult(value: unknown): value is ToolResultInput {
  if (typeof value !== 'object' || value === null || !('content' in value)) return false;
  const { content } = value;
  if (typeof content === 'string') return oddMember(value, members) === undefined;
  return Array.isArray(content) && content.every(isContentPart);
}

function partsOf({ content }: ToolResultInput): ToolResult['content'] {
  if (typeof content !== 'string') return content;
  return content === '' ? [] : [textPart(content)];
}

function isContentPart(part: unknown): boolean {
  if (typeof part !== 'object' || part === null || !('type' in part)) return false;
  return (part.type === 'text' && 'text' in part) || (part.type === 'file' && 'mediaType' in part);
}

/**
 * Validates a result of a tool or layer. Returns a frozen copy; `error` may be any value. @throws `VALUE_NOT_JSON`, and
 * `TOOL_RESULT` or `HOOK_RESULT` for an unknown member or invalid content
 */
export function checkResult(given: ToolResultInput, tool: string, plugin?: string): ToolResult {
  const odd = oddMember(given, members);
  if (odd !== undefined) throw unknownMember(odd, tool, plugin);
  const { data, isError, denied, metadata } = given;
  const of = `of the result of the tool ${tool}`;
  const content = frozenJson(partsOf(given), `the content ${of}`, plugin);
  const fault = contentFault(content, 'tool');
  if (fault !== undefined) throw badContent(fault, tool, plugin);
  return Object.freeze({
    content,
    ...(data === undefined ? {} : { data: frozenJson(data, `the data ${of}`, plugin) }),
    ...(isError === undefined ? {} : { isError }),
    ...(denied === undefined ? {} : { denied: frozenJson(denied, `the denial of the tool ${tool}`, plugin) }),
    ...(metadata === undefined ? {} : { metadata: takeMetadata(metadata, `the metadata ${of}`, plugin) }),
    ...('error' in given ? { error: given.error } : {}),
  });
}

/** Returns the first own member of an object that is not among the known ones; undefined if there is none. */
export function oddMember(object: object, known: readonly string[]): string | undefined {
  for (const key of Reflect.ownKeys(object)) {
    if (typeof key === 'symbol' || !known.includes(key)) return String(key);
  }
  return undefined;
}

/** Describes an unknown member, with a similar known one. */
export function describeOdd(odd: string, what: string, known: readonly string[]): string {
  const near = nearest(odd, known);
  const hint = near === undefined ? '' : ` (did you mean "${near}"?)`;
  return `the unknown member "${odd}"${hint}. ${what} may have ${known.join(', ')}; put data for other layers into metadata`;
}

/** Returns frozen metadata. @throws `VALUE_NOT_JSON` for anything but a JSON object */
export function takeMetadata(metadata: JsonObject, label: string, plugin?: string): JsonObject {
  if (isObject(metadata)) return frozenJson(metadata, label, plugin);
  throw new ShallotError('VALUE_NOT_JSON', {
    message: `${label} is ${kindOf(metadata)}; use an object with a key per plugin.`,
    plugin,
  });
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function badContent(fault: string, tool: string, plugin: string | undefined): ShallotError {
  const what =
    plugin === undefined
      ? `The result of the tool ${tool}`
      : `The result that ${plugin} returned for ${tool}`;
  const message = `${what} is not valid: ${fault}.`;
  return plugin === undefined
    ? new ShallotError('TOOL_RESULT', { message })
    : new ShallotError('HOOK_RESULT', { message, plugin, hook: 'wrapToolCall' });
}

function unknownMember(odd: string, tool: string, plugin: string | undefined): ShallotError {
  const what = describeOdd(odd, 'A result', members);
  if (plugin === undefined) {
    const message = `The result of the tool ${tool} has ${what}. A tool's own JSON must not look like a result: give its member "content" another name.`;
    return new ShallotError('TOOL_RESULT', { message });
  }
  const message = `The result that ${plugin} returned for ${tool} has ${what}.`;
  return new ShallotError('HOOK_RESULT', { message, plugin, hook: 'wrapToolCall' });
}

/** Returns an error result; the model sees the text. */
export function errorResult(text: string, error?: unknown): ToolResult {
  const failure = { ...withContent([textPart(text)]), isError: true };
  return Object.freeze(error === undefined ? failure : { ...failure, error });
}

/** The stored members of a result: all except `error`. */
export type StoredResult = JsonObject & Omit<ToolResult, 'error'>;

/** Returns the stored members of a validated result. */
export function storedResult({ content, data, isError, denied, metadata }: ToolResult): StoredResult {
  const stored: { -readonly [K in keyof Omit<ToolResult, 'error'>]: ToolResult[K] } = { content };
  if (data !== undefined) stored.data = data;
  if (isError === true) stored.isError = true;
  if (denied !== undefined) stored.denied = denied;
  if (metadata !== undefined) stored.metadata = metadata;
  // `checkResult` validated the parts as JSON.
  return Object.freeze(stored) as unknown as StoredResult;
}
