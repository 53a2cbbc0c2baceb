import { McpServer } from '@modelcontextprotocol/server';
import type { JsonSchema } from '@shallot/core';
import type { Identity } from '@shallot/server';

import type { OfferedParts } from './agent-offer.ts';
import { addAskTool } from './ask-tool.ts';
import { addOfferedTool } from './offered-tool.ts';
import { sealTurns } from './seal-turns.ts';
import type { ServerClient } from './server-client.ts';
import { TurnTaker } from './turn-taker.ts';

/** The agent as MCP clients see it. */
export interface McpOptions {
  /** The name and version of the program, which clients show. */
  readonly program: { readonly name: string; readonly version: string };
  /**
   * Returns a random string that is the same in all processes that serve the agent, and known to nobody else. It
   * seals the state that a client keeps while it asks its user. Called when it is first needed.
   */
  readonly secret: () => string;
  /** A JSON Schema for the answers of the agent, which are then sent as structured content. Default: any text. */
  readonly output?: JsonSchema;
  /** Parts of the agent that are offered beside the tool `ask`. Default: none. */
  readonly offered?: OfferedParts;
}

/** The sender of requests, and the routes that it may use. */
export interface McpSender {
  readonly identity: Identity;
  readonly client: ServerClient;
}

/** Creates the protocol's server for one connection, or one request over HTTP. */
export async function agentTools(options: McpOptions, { identity, client }: McpSender): Promise<McpServer> {
  const { program, secret, output, offered } = options;
  const agent = await client.agent();
  const codec = sealTurns(secret, identity);
  const server = new McpServer(
    { ...program, title: agent.name },
    { capabilities: { tools: {} }, requestState: { verify: (state, ctx) => codec.verify(state, ctx) } },
  );
  const turns = new TurnTaker(server, codec);
  addAskTool(server, turns, { agent, client, output });
  for (const tool of offered?.tools ?? []) addOfferedTool(server, turns, tool, client);
  offered?.add?.(server);
  return server;
}
