import { createHash } from 'node:crypto';

import type { Tool as ServerTool } from '@modelcontextprotocol/client';

/** What a server says of a tool, as text that can be compared: members in the order of their names. */
export interface Definition {
  readonly text: string;
  readonly digest: string;
}

export function definitionOf({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: ServerTool): Definition {
  const text = JSON.stringify(
    sorted({ name, title, description, inputSchema, outputSchema, annotations }),
    null,
    2,
  );
  return { text, digest: createHash('sha256').update(text).digest('base64url').slice(0, 22) };
}

/** The same without the marks of arguments that HTTP requests carry as headers, too. */
export function withoutHeaders(tool: ServerTool): Definition {
  const text = JSON.stringify(tool, (key, value: unknown) => (key === 'x-mcp-header' ? undefined : value));
  // A copy of a tool is a tool.
  return definitionOf(JSON.parse(text) as ServerTool);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]));
}
