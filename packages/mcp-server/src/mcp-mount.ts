import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Mount } from '@shallot/server';

import { agentTools, type McpOptions } from './agent-tools.ts';
import { ServerClient } from './server-client.ts';

/** The largest request, in bytes. Other requests to the server have the same limit by default. */
const maxRequestBodySize = 10_000_000;

/**
 * Returns a mount for `createServer` of `@shallot/server`, which serves its agent to MCP clients over streamable HTTP:
 * `{ mounts: { '/mcp': mcpMount(options) } }`. Its sessions and runs are those of the sender.
 */
export function mcpMount(options: McpOptions): Mount {
  return (request, { identity, fetch }) => {
    const sender = { identity, client: new ServerClient(fetch) };
    // Each request gets a new server, because the protocol keeps nothing between requests.
    return createMcpHandler(() => agentTools(options, sender), { maxRequestBodySize }).fetch(request);
  };
}
