import { createHash } from 'node:crypto';

import type { Tool as ServerTool } from '@modelcontextprotocol/client';

/** A tool definition as comparable text, with sorted members. */
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

/** Returns the definition without the markers of arguments that are also sent as HTTP headers. */
export function withoutHeaders(tool: ServerTool): Definition {
  const text = JSON.stringify(tool, (key, value: unknown) => (key === 'x-mcp-header' ? undefined : value));
  // Removing members keeps the type.
  return definitionOf(JSON.parse(text) as ServerTool);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]));
}
