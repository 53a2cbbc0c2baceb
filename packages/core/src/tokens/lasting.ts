import type { JsonObject } from '../base/json.ts';
import type { ToolMessage } from '../contract/messages.ts';
import type { ToolResult } from '../contract/tool.ts';

/** The core's key in the metadata of results and messages. */
const key = 'shallot';

/**
 * Marks a result that stays in force for the rest of the conversation, such as instructions that the model has read.
 * Plugins that clear old results keep it.
 */
export function lastingResult(result: ToolResult): ToolResult {
  return { ...result, metadata: { ...result.metadata, [key]: { lasting: true } } };
}

/** Returns true if `lastingResult` marked the result. */
export function isLasting({ metadata }: Pick<ToolMessage, 'metadata'>): boolean {
  const mark = metadata?.[key];
  return isObject(mark) && mark['lasting'] === true;
}

function isObject(value: JsonObject[string] | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
