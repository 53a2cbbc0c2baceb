import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import type { ToolDefinition } from '@shallot/core';

/** What a trusted server's annotations say of a tool, in the core's words; those of others say nothing. */
export function hintsOf(
  { annotations: { readOnlyHint, idempotentHint, openWorldHint } = {} }: ServerTool,
  trusted: boolean,
): Pick<ToolDefinition, 'effect' | 'kind'> {
  if (!trusted) return {};
  if (readOnlyHint === true) return { effect: 'read', kind: openWorldHint === true ? 'fetch' : 'read' };
  return idempotentHint === true ? { effect: 'idempotent' } : {};
}
