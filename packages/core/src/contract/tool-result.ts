import { kindOf } from '../base/describe-value.ts';
import { ShallotError } from '../base/errors.ts';
import { freezeJson, type JsonObject } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import { textPart } from './messages.ts';
import type { ToolResult } from './tool.ts';

const members: readonly string[] = [
  'content',
  'data',
  'isError',
  'denied',
  'error',
  'metadata',
] satisfies (keyof ToolResult)[];

/** The part of a tool's output that a model sees. @throws `VALUE_NOT_JSON` when it can be neither shown nor stored, `TOOL_RESULT` */
export function toToolResult(output: unknown, tool: string): ToolResult {
  if (output === undefined) return withContent([]);
  if (typeof output === 'string') return withContent([textPart(output)]);
  if (isToolResult(output)) return checkResult(output, tool);
  freezeJson(output, `the result of the tool ${tool}`);
  return Object.freeze({ ...withContent([textPart(JSON.stringify(output))]), data: output });
}

function withContent(content: ToolResult['content']): ToolResult {
  return Object.freeze({ content: Object.freeze(content) });
}

/** Whether a value has the shape of a result, and is not just JSON of a tool's own. */
export function isToolResult(value: unknown): value is ToolResult {
  return (
    typeof value === 'object' &&
    value !== null &&
    'content' in value &&
    Array.isArray(value.content) &&
    value.content.every(isContentPart)
  );
}

function isContentPart(part: unknown): boolean {
  if (typeof part !== 'object' || part === null || !('type' in part)) return false;
  return (part.type === 'text' && 'text' in part) || (part.type === 'file' && 'mediaType' in part);
}

/**
 * Takes a result over, of a tool or of a plugin's layer: a frozen copy with its JSON frozen; `error` may be
 * anything. @throws `VALUE_NOT_JSON`, and `TOOL_RESULT` or `HOOK_RESULT` for a member that results do not have
 */
export function checkResult(given: ToolResult, tool: string, plugin?: string): ToolResult {
  const odd = oddMember(given, members);
  if (odd !== undefined) throw unknownMember(odd, tool, plugin);
  const { content, data, isError, denied, metadata } = given;
  freezeJson(content, `the content of the result of the tool ${tool}`, plugin);
  if (data !== undefined) freezeJson(data, `the data of the result of the tool ${tool}`, plugin);
  if (denied !== undefined) freezeJson(denied, `the denial of the tool ${tool}`, plugin);
  if (metadata !== undefined)
    checkMetadata(metadata, `the metadata of the result of the tool ${tool}`, plugin);
  return Object.freeze({
    content,
    ...(data === undefined ? {} : { data }),
    ...(isError === undefined ? {} : { isError }),
    ...(denied === undefined ? {} : { denied }),
    ...(metadata === undefined ? {} : { metadata }),
    ...('error' in given ? { error: given.error } : {}),
  });
}

/** The first of an object's own members that is not among those that it may have. */
export function oddMember(object: object, known: readonly string[]): string | undefined {
  for (const key of Reflect.ownKeys(object)) {
    if (typeof key === 'symbol' || !known.includes(key)) return String(key);
  }
  return undefined;
}

/** Says which member is not known, and which was perhaps meant. */
export function describeOdd(odd: string, what: string, known: readonly string[]): string {
  const near = nearest(odd, known);
  const hint = near === undefined ? '' : ` (did you mean "${near}"?)`;
  return `the unknown member "${odd}"${hint}. ${what} may have ${known.join(', ')}; put data for other layers into metadata`;
}

/** @throws `VALUE_NOT_JSON` for anything but an object of JSON */
export function checkMetadata(metadata: unknown, label: string, plugin?: string): void {
  freezeJson(metadata, label, plugin);
  if (typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata)) return;
  throw new ShallotError('VALUE_NOT_JSON', {
    message: `${label} is ${kindOf(metadata)}; use an object with a key per plugin.`,
    plugin,
  });
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

/** The result of a failure; the model sees the text. */
export function errorResult(text: string, error?: unknown): ToolResult {
  const failure = { ...withContent([textPart(text)]), isError: true };
  return Object.freeze(error === undefined ? failure : { ...failure, error });
}

/** What of a result is kept: everything but `error`. */
export type StoredResult = JsonObject & Omit<ToolResult, 'error'>;

/** What of a result is kept, of one that was checked. */
export function storedResult({ content, data, isError, denied, metadata }: ToolResult): StoredResult {
  const stored: { -readonly [K in keyof Omit<ToolResult, 'error'>]: ToolResult[K] } = { content };
  if (data !== undefined) stored.data = data;
  if (isError === true) stored.isError = true;
  if (denied !== undefined) stored.denied = denied;
  if (metadata !== undefined) stored.metadata = metadata;
  // The parts were checked to be JSON by `checkResult`.
  return Object.freeze(stored) as unknown as StoredResult;
}
