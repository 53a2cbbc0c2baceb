import type { AssistantPart, JsonValue, Message, RunResult, ToolCall, ToolResult } from '@shallot/core';
import { textOf } from '@shallot/core';
import type { ModelRequest, ModelResponse } from '@shallot/core/model';
import { isJsonObject } from '@shallot/core/plugin';

/** Changes made by a layer, as JSON; unchanged members are absent. */
export interface LayerChanges {
  /** Difference between the request it received and the request it passed on. */
  readonly request?: Changed;
  /**
   * Difference between the response it received from further inside and the response it returned; for an after hook,
   * between its input and its output.
   */
  readonly response?: Changed;
}

/** The changes, by the name of the changed member. */
export type Changed = Readonly<Record<string, JsonValue>>;

/** The number of entries of a list that are reported one by one. */
const maxEntries = 20;

/**
 * Compares a request before and after a layer. With `content`, changes contain texts and values, otherwise only
 * places, roles, names and lengths. Returns undefined if nothing changed.
 */
export function requestChanges(
  before: ModelRequest,
  after: ModelRequest,
  content: boolean,
): Changed | undefined {
  if (before === after) return undefined;
  return compact({
    model: changed(before.model.id, after.model.id),
    instructions: textChange(before.instructions, after.instructions, content),
    messages: listChange(before.messages, after.messages, itself, (each) => describeMessage(each, content)),
    tools: listChange(before.tools ?? [], after.tools ?? [], itself, ({ name }) => name),
    toolChoice: changed(toolChoiceOf(before), toolChoiceOf(after)),
    output: changed(before.output?.name ?? null, after.output?.name ?? null),
    settings: objectChange({ ...before.settings }, { ...after.settings }, content),
    metadata: objectChange({ ...before.metadata }, { ...after.metadata }, content),
  });
}

/** Compares answers of a model. */
export function responseChanges(
  before: ModelResponse,
  after: ModelResponse,
  content: boolean,
): Changed | undefined {
  if (before === after) return undefined;
  return compact({
    text: textChange(textOf(before.message), textOf(after.message), content),
    parts: listChange(before.message.content, after.message.content, partKey, describePart),
    finish: changed(before.finish, after.finish),
    usage: objectChange({ ...before.usage }, { ...after.usage }, true),
  });
}

/** Compares tool calls. Returns undefined if nothing changed. */
export function callChanges(before: ToolCall, after: ToolCall, content: boolean): Changed | undefined {
  if (before === after) return undefined;
  return compact({
    tool: changed(before.name, after.name),
    arguments: objectChange(membersOf(before.input), membersOf(after.input), content),
    metadata: objectChange({ ...before.metadata }, { ...after.metadata }, content),
  });
}

/** Compares results of tools. Returns undefined if nothing changed. */
export function resultChanges(before: ToolResult, after: ToolResult, content: boolean): Changed | undefined {
  if (before === after) return undefined;
  return compact({
    text: textChange(textOf(before), textOf(after), content),
    parts: changed(before.content.length, after.content.length),
    data: changed(JSON.stringify(before.data) ?? null, JSON.stringify(after.data) ?? null, content),
    isError: changed(before.isError === true, after.isError === true),
    denied: changed(before.denied?.by ?? null, after.denied?.by ?? null),
    error: changed(before.error !== undefined, after.error !== undefined),
    metadata: objectChange({ ...before.metadata }, { ...after.metadata }, content),
  });
}

/** Compares results of runs. Returns undefined if nothing changed. */
export function runResultChanges(before: RunResult, after: RunResult, content: boolean): Changed | undefined {
  if (before === after) return undefined;
  return compact({
    text: textChange(before.text, after.text, content),
    output: changed(JSON.stringify(before.output) ?? null, JSON.stringify(after.output) ?? null, content),
    messages: changed(before.messages.length, after.messages.length),
  });
}

/** Compares the messages that a run is given. Returns undefined if nothing changed. */
export function inputChanges(
  before: readonly Message[],
  after: readonly Message[],
  content: boolean,
): Changed | undefined {
  return compact({
    messages: listChange(before, after, itself, (each) => describeMessage(each, content)),
  });
}

function compact(changes: Readonly<Record<string, JsonValue | undefined>>): Changed | undefined {
  const entries = Object.entries(changes).filter(
    (entry): entry is [string, JsonValue] => entry[1] !== undefined,
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function changed<T extends string | number | boolean | null>(
  before: T,
  after: T,
  tells = true,
): JsonValue | undefined {
  if (before === after) return undefined;
  return tells ? { from: before, to: after } : true;
}

/**
 * Returns the lengths of both texts and, with `content`, the text added before or after, or else the whole new one;
 * undefined if the texts are the same.
 */
function textChange(before: string, after: string, content: boolean): JsonValue | undefined {
  if (before === after) return undefined;
  const length = { from: before.length, to: after.length };
  if (!content) return { length };
  if (before !== '' && after.startsWith(before)) return { length, appended: after.slice(before.length) };
  if (before !== '' && after.endsWith(before)) return { length, prepended: after.slice(0, -before.length) };
  return { length, to: after };
}

function listChange<T>(
  before: readonly T[],
  after: readonly T[],
  keyOf: (each: T) => unknown,
  describe: (each: T) => JsonValue,
): JsonValue | undefined {
  if (before === after) return undefined;
  const added = without(after, before, keyOf);
  const removed = without(before, after, keyOf);
  if (added.length === 0 && removed.length === 0)
    return before.length === after.length
      ? undefined
      : { length: changed(before.length, after.length) ?? null };
  return {
    ...(added.length === 0 ? {} : { added: told(added, describe) }),
    ...(removed.length === 0 ? {} : { removed: told(removed, describe) }),
  };
}

/** Returns the entries of a list that are not in another, with their positions. */
function without<T>(
  list: readonly T[],
  other: readonly T[],
  keyOf: (each: T) => unknown,
): (readonly [number, T])[] {
  const known = new Set(other.map(keyOf));
  return list.flatMap((each, index) => (known.has(keyOf(each)) ? [] : [[index, each] as const]));
}

function told<T>(entries: readonly (readonly [number, T])[], describe: (each: T) => JsonValue): JsonValue {
  const shown = entries.slice(0, maxEntries).map(([at, each]): JsonValue => {
    const description = describe(each);
    return isJsonObject(description) ? Object.assign({ at }, description) : description;
  });
  return entries.length > maxEntries ? [...shown, `and ${entries.length - maxEntries} more`] : shown;
}

/** Returns a message or tool as its own key. They are frozen, so a changed one is another object. */
function itself<T>(value: T): T {
  return value;
}

function describeMessage(message: Message, content: boolean): JsonValue {
  const { role, source } = message;
  const text = textOf(message);
  return {
    role,
    ...(source === undefined ? {} : { source }),
    ...(content ? { text } : { length: text.length }),
  };
}

/** Returns the identity of a tool call; other parts are compared by type only, since their text is compared separately. */
function partKey(part: AssistantPart): unknown {
  return part.type === 'tool-call' ? `${part.id} ${part.name} ${JSON.stringify(part.input)}` : part.type;
}

function describePart(part: AssistantPart): JsonValue {
  return part.type === 'tool-call' ? { type: part.type, id: part.id, name: part.name } : { type: part.type };
}

function toolChoiceOf({ toolChoice = 'auto' }: ModelRequest): string {
  return typeof toolChoice === 'string' ? toolChoice : toolChoice.tool;
}

function membersOf(value: JsonValue): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : { value };
}

/** Returns the members of an object that differ, with their values if `tells` is set; undefined if none does. */
function objectChange(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  tells: boolean,
): JsonValue | undefined {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const differing = keys.filter((key) => !isSame(before[key], after[key]));
  if (differing.length === 0) return undefined;
  if (!tells) return differing;
  return Object.fromEntries(
    differing.map((key) => [key, { from: asJson(before[key]), to: asJson(after[key]) }]),
  );
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function asJson(value: unknown): JsonValue {
  // Undefined has no counterpart in JSON, so it becomes null.
  return JSON.parse(JSON.stringify(value ?? null)) as JsonValue;
}
