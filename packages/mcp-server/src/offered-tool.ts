import { fromJsonSchema, type CallToolResult, type McpServer } from '@modelcontextprotocol/server';
import type { JsonObject, Tool, ToolMessage } from '@shallot/core';
import { isJsonObject } from '@shallot/core/plugin';

import { directCall } from './agent-offer.ts';
import { sessionKey, unansweredResult } from './answer-result.ts';
import type { ServerClient } from './server-client.ts';
import type { TurnTaker } from './turn-taker.ts';

/** Adds a tool of the agent. Each of its calls is a run in a new session. */
export function addOfferedTool(server: McpServer, turns: TurnTaker, tool: Tool, client: ServerClient): void {
  const { name, title, description, inputSchema, effect } = tool;
  server.registerTool(
    name,
    {
      ...(title !== undefined && { title }),
      description,
      inputSchema: fromJsonSchema<JsonObject>(inputSchema),
      annotations: { readOnlyHint: effect === 'read' },
    },
    (args, ctx) =>
      turns.take(ctx, {
        tool: name,
        client,
        body: { input: directCall(name, args), title: `MCP: ${name}` },
        sessionId: undefined,
        resultOf: async (run) => {
          const messages = await client.messages(run.sessionId);
          const made = messages.findLast((message) => message.role === 'tool');
          return made === undefined ? unansweredResult(run) : resultOf(made, run.sessionId);
        },
      }),
  );
}

function resultOf({ content, data, isError }: ToolMessage, sessionId: string): CallToolResult {
  return {
    content: content.map(blockOf),
    ...(isJsonObject(data) && { structuredContent: data }),
    ...(isError === true && { isError }),
    _meta: { [sessionKey]: sessionId },
  };
}

/** Returns a part in the protocol's form: files that are neither an image nor a sound are resources. */
function blockOf(part: ToolMessage['content'][number]): CallToolResult['content'][number] {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { mediaType: mimeType, data, url, name = 'file' } = part;
  if (data === undefined) return { type: 'resource_link', uri: url ?? '', name, mimeType };
  const [kind] = mimeType.split('/');
  if (kind === 'image' || kind === 'audio') return { type: kind, mimeType, data };
  const uri = URL.canParse(name) ? name : `file:///${encodeURIComponent(name)}`;
  return { type: 'resource', resource: { uri, mimeType, blob: data } };
}
