import { messageOf } from '../../base/thrown.ts';
import { textPart } from '../../contract/messages.ts';
import { toToolResult } from '../../contract/tool-result.ts';
import type { Tool, ToolResult } from '../../contract/tool.ts';
import type { Signs } from '../parts/signs.ts';

/** Tools for which a loss of information was already reported. */
const named = new WeakSet<Tool>();

/**
 * Returns the result for a tool's return value. If the value cannot be converted, the result explains this, and is
 * not marked as an error, since the tool has done its work.
 */
export function shownResult(signs: Signs, tool: Tool, output: unknown): ToolResult {
  const { name } = tool;
  try {
    return toToolResult(output, name, (lost) => noteLoss(signs, tool, lost));
  } catch (error) {
    const text = `The call of ${name} was executed, but its result cannot be shown: ${messageOf(error)}`;
    signs.warn('TOOL_RESULT', text);
    return Object.freeze({ content: Object.freeze([textPart(text)]) });
  }
}

function noteLoss(signs: Signs, tool: Tool, lost: string): void {
  if (named.has(tool)) return;
  named.add(tool);
  signs.warnInLog(
    { tool: tool.name },
    `The result of the tool ${tool.name} is not all in its JSON: ${lost}. Return plain JSON; this is logged once.`,
  );
}
