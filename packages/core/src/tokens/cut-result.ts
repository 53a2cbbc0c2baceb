import type { ToolResult } from '../contract/tool.ts';
import { markOf, withMark } from './with-mark.ts';

/** Marks a result from which its tool has left something out, so that the rest is not taken for the whole. */
export function cutResult(result: ToolResult): ToolResult {
  return withMark(result, 'cut', true);
}

/** Returns true if `cutResult` marked the result. */
export function isCut(result: Pick<ToolResult, 'metadata'>): boolean {
  return markOf(result, 'cut') === true;
}
