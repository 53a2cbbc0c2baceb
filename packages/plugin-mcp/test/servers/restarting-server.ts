import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';

import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { McpServer } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

/** The response of a restarted server to a request of a session that it does not know. */
export type Greeting = 400 | 404 | 500 | 'hang-up' | 'silence';

/** The time at which a server dies: before it executes a call, after it has, or between two calls. */
export type Death = 'before' | 'after' | 'between';

/** A server with sessions, of a revision before 2026-07-28, that loses them with each restart. */
export interface RestartingServer {
  readonly url: string;
  /** The number of executions of each write, by its number. */
  readonly executed: Map<number, number>;
  /** Plans a restart during the next call of a tool, or restarts at once. */
  plan(death: Death, greeting: Greeting): Promise<void>;
}

export async function serveRestarting(): Promise<RestartingServer> {
  const executed = new Map<number, number>();
  let sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  let greeting: Greeting = 400;
  let death: Exclude<Death, 'between'> | undefined;

  /** Forgets all sessions and drops all connections, as if the process had died. */
  const restart = (): void => {
    sessions = new Map();
    server.closeAllConnections();
  };
  const dies = (when: Death): boolean => {
    if (death !== when) return false;
    death = undefined;
    restart();
    return true;
  };
  const makeServer = (): McpServer => {
    const mcp = new McpServer({ name: 'restarting', version: '1.0.0' }, { capabilities: { tools: {} } });
    const inputSchema = z.object({ n: z.number() });
    for (const name of ['read', 'write']) {
      const annotations = { readOnlyHint: name === 'read' };
      mcp.registerTool(name, { description: name, inputSchema, annotations }, async ({ n }) => {
        if (!dies('before')) {
          if (name === 'write') executed.set(n, (executed.get(n) ?? 0) + 1);
          dies('after');
        }
        await setImmediate();
        return { content: [{ type: 'text', text: `${name} ${n}` }] };
      });
    }
    return mcp;
  };
  const refuse = (request: IncomingMessage, response: ServerResponse): void => {
    if (greeting === 'silence') return;
    if (greeting === 'hang-up') return void request.socket.destroy();
    const error = { code: -32_000, message: 'Bad Request: No valid session ID provided' };
    response.writeHead(greeting, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (known !== undefined) return known.handleRequest(request, response);
    const body = JSON.parse((await textOf(request)) || '{}') as { readonly method?: string };
    if (body.method !== 'initialize') return refuse(request, response);
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => void sessions.set(session, transport),
    });
    await makeServer().connect(transport);
    return transport.handleRequest(request, response, body);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => {
      // The connection was dropped while the request was answered.
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has an address of this type.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    executed,
    async plan(when, how) {
      greeting = how;
      if (when !== 'between') death = when;
      else restart();
      // Waits at random, so that the client sometimes notices the lost connections and sometimes does not.
      if (Math.random() < 0.5) await setImmediate();
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
