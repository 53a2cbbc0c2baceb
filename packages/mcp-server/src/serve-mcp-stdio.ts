import type { Readable, Writable } from 'node:stream';

import { McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { isShallotError } from '@shallot/core';
import { createRedactor, messageOf } from '@shallot/core/plugin';
import type { AgentServer } from '@shallot/server';

import { agentTools, type McpOptions } from './agent-tools.ts';
import { ServerClient } from './server-client.ts';

/** Options of `serveMcpStdio`. */
export interface StdioOptions extends McpOptions {
  /** Receives the protocol. Default: stdin. */
  readonly stdin?: Readable;
  /** Carries the protocol, and nothing else may be written to it. Default: stdout. */
  readonly stdout?: Writable;
  /** Receives errors that are no answer to a request. Default: they are dropped. */
  readonly onError?: (error: unknown) => void;
}

/** A connection to one client. */
export interface McpConnection {
  /** Resolves when the client has disconnected, and its runs were asked to stop. */
  readonly closed: Promise<void>;
  /** Ends the connection. */
  readonly close: () => Promise<void>;
}

/**
 * Serves an agent to one MCP client over stdin and stdout, with the rights of the operator. If an error is given
 * instead, such as that of a config that does not load, the client can connect, and the error answers its requests to
 * list or call tools.
 */
export function serveMcpStdio(
  server: Pick<AgentServer, 'as'> | Error,
  { stdin = process.stdin, stdout = process.stdout, onError = () => undefined, ...options }: StdioOptions,
): McpConnection {
  const transport = new EndingTransport(stdin, stdout);
  const operator = {};
  const client = server instanceof Error ? undefined : new ServerClient(server.as(operator));
  const handle = serveStdio(
    () =>
      client === undefined ? refusing(server, options) : agentTools(options, { identity: operator, client }),
    { transport, onerror: onError },
  );
  const closed = transport.ended.then(() => client?.settled());
  return {
    closed,
    close: async () => {
      await handle.close();
      await closed;
    },
  };
}

/** The transport over stdin and stdout, which also reports its end. */
class EndingTransport extends StdioServerTransport {
  readonly #ended = Promise.withResolvers<void>();

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#ended.resolve();
  }
}

/** Creates a server that answers each request to list or call tools with an error. */
function refusing(error: unknown, { program }: Pick<McpOptions, 'program'>): McpServer {
  const server = new McpServer(program, { capabilities: { tools: {} } });
  const refuse = (): never => {
    throw protocolError(error);
  };
  server.server.setRequestHandler('tools/list', refuse);
  server.server.setRequestHandler('tools/call', refuse);
  return server;
}

/**
 * Returns the protocol's form of an error, with its code and place. Without an agent, only secrets of the environment
 * are redacted.
 */
function protocolError(error: unknown): ProtocolError {
  const redactor = createRedactor();
  const data = isShallotError(error)
    ? { code: error.code, ...(error.at !== undefined && { at: error.at }) }
    : undefined;
  return new ProtocolError(ProtocolErrorCode.InternalError, redactor.text(messageOf(error)), data);
}
