import type { McpServer } from '@agentclientprotocol/sdk';

import type { EditorMcpServer } from './served-agent.ts';

/** Returns the MCP servers of an editor as an agent connects to them, by name. Programs work in the session's directory. */
export function serversOf(
  servers: readonly McpServer[],
  cwd: string,
): Readonly<Record<string, EditorMcpServer>> {
  return Object.fromEntries(servers.map((server) => [server.name, optionsOf(server, cwd)]));
}

function optionsOf(server: McpServer, cwd: string): EditorMcpServer {
  if ('url' in server) return { url: server.url, headers: valuesOf(server.headers) };
  const { command, args, env } = server;
  return { command, args, env: valuesOf(env), cwd };
}

function valuesOf(
  pairs: readonly { readonly name: string; readonly value: string }[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
