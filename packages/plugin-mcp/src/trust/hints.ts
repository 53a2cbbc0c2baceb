import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import type { ToolDefinition } from '@shallot/core';

/** Returns the annotations of a trusted server in the core's terms; those of other servers are ignored. */
export function hintsOf(
  { annotations: { readOnlyHint, idempotentHint, openWorldHint } = {} }: ServerTool,
  trusted: boolean,
): Pick<ToolDefinition, 'effect' | 'kind'> {
  if (!trusted) return {};
  if (readOnlyHint === true) return { effect: 'read', kind: openWorldHint === true ? 'fetch' : 'read' };
  return idempotentHint === true ? { effect: 'idempotent' } : {};
}
