import type { ToolMessage } from '../contract/messages.ts';
import type { ToolResult } from '../contract/tool.ts';
import { markOf, withMark } from './with-mark.ts';

/**
 * Marks a result that stays in force for the rest of the conversation, such as instructions that the model has read.
 * Plugins that clear old results keep it.
 */
export function lastingResult(result: ToolResult): ToolResult {
  return withMark(result, 'lasting', true);
}

/** Returns true if `lastingResult` marked the result. */
export function isLasting(message: Pick<ToolMessage, 'metadata'>): boolean {
  return markOf(message, 'lasting') === true;
}
