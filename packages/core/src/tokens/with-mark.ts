import type { JsonObject, JsonValue } from '../base/json.ts';
import type { ToolMessage } from '../contract/messages.ts';
import type { ToolResult } from '../contract/tool.ts';

/** The core's key in the metadata of results and messages. */
const key = 'shallot';

/** Adds a mark of the core to the metadata of a result, beside its other marks. */
export function withMark(result: ToolResult, name: string, value: JsonValue): ToolResult {
  return { ...result, metadata: { ...result.metadata, [key]: { ...marksOf(result), [name]: value } } };
}

/** Returns a mark of a result or of its message; undefined if there is none. */
export function markOf(marked: Pick<ToolMessage, 'metadata'>, name: string): JsonValue | undefined {
  return marksOf(marked)?.[name];
}

function marksOf({ metadata }: Pick<ToolMessage, 'metadata'>): JsonObject | undefined {
  const marks = metadata?.[key];
  return typeof marks === 'object' && marks !== null && !Array.isArray(marks)
    ? (marks as JsonObject)
    : undefined;
}
