export { AgentOffer, mcpServerKey, type AddToMcpServer, type OfferedParts } from './agent-offer.ts';
export type { McpOptions } from './agent-tools.ts';
export { mcpMount } from './mcp-mount.ts';
export { serveMcpStdio, type McpConnection, type StdioOptions } from './serve-mcp-stdio.ts';
