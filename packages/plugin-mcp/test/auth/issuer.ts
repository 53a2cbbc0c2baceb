import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

/** A server over HTTP that supports both generations of the protocol, with an OAuth issuer if it needs a token. */
export interface TestServer {
  readonly url: string;
  readonly origin: string;
  /** All requests, each with its method, path and headers. */
  readonly requests: { readonly line: string; readonly headers: IncomingMessage['headers'] }[];
  /** Invalidates all access tokens issued so far. */
  expireTokens(): void;
}

type Answer = (request: IncomingMessage, response: ServerResponse, url: URL) => void | Promise<void>;

const json = (response: ServerResponse, status: number, body: object, headers: object = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
};

/** Starts a server, which runs until the test ends. `answers` replaces its response on some paths. */
export async function serve({
  needsLogin = false,
  answers = {},
  makeServer = hiveServer,
  before,
}: {
  readonly needsLogin?: boolean;
  readonly answers?: Readonly<Record<string, Answer>>;
  readonly makeServer?: () => McpServer;
  /** Awaited before each request of the protocol is answered. */
  readonly before?: () => Promise<unknown>;
} = {}): Promise<TestServer> {
  const requests: TestServer['requests'] = [];
  const handler = toNodeHandler(createMcpHandler(makeServer));
  const issuer = new Issuer();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', origin());
    requests.push({ line: `${request.method} ${url.pathname}`, headers: request.headers });
    const answer = answers[url.pathname] ?? (needsLogin ? issuer.answerFor(url.pathname) : undefined);
    if (answer !== undefined) return void answer(request, response, url);
    if (url.pathname !== '/mcp') return json(response, 404, {});
    if (!needsLogin || issuer.knows(request.headers.authorization))
      return void (before?.() ?? Promise.resolve()).then(
        () =>
          handler(
            // Requests that a server receives have a method and a URL.
            request as IncomingMessage & { method: string; url: string },
            response,
          ),
        () => request.socket.destroy(),
      );
    const metadata = `${origin()}/.well-known/oauth-protected-resource/mcp`;
    return json(
      response,
      401,
      {},
      { 'www-authenticate': `Bearer resource_metadata="${metadata}", scope="notes"` },
    );
  });
  // A server that listens on a port has an address of this type.
  const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { url: `${origin()}/mcp`, origin: origin(), requests, expireTokens: () => issuer.expire() };
}

export function hiveServer(): McpServer {
  const server = new McpServer({ name: 'http', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.registerTool('look', { description: 'Looks.', inputSchema: z.object({}) }, () => ({
    content: [{ type: 'text', text: 'a hive' }],
  }));
  return server;
}

/** An issuer whose user consents to every login at once. */
class Issuer {
  readonly #codes = new Map<string, { readonly challenge: string; readonly redirect: string }>();
  readonly #refreshTokens = new Set<string>();
  #accessTokens = new Set<string>();

  knows(authorization: string | undefined): boolean {
    return this.#accessTokens.has(authorization?.replace('Bearer ', '') ?? '');
  }

  expire(): void {
    this.#accessTokens = new Set();
  }

  answerFor(path: string): Answer | undefined {
    const answers: Readonly<Record<string, Answer>> = {
      '/.well-known/oauth-protected-resource/mcp': (_, response, { origin }) =>
        json(response, 200, { resource: `${origin}/mcp`, authorization_servers: [origin] }),
      '/.well-known/oauth-authorization-server': (_, response, { origin }) =>
        json(response, 200, {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
        }),
      '/register': async (request, response) =>
        json(response, 201, { ...(JSON.parse(await textOf(request)) as object), client_id: randomUUID() }),
      '/authorize': (_, response, { searchParams }) => this.#authorize(response, searchParams),
      '/token': async (request, response) =>
        this.#token(response, new URLSearchParams(await textOf(request))),
    };
    return answers[path];
  }

  #authorize(response: ServerResponse, asked: URLSearchParams): void {
    const code = randomUUID();
    const redirect = asked.get('redirect_uri') ?? '';
    this.#codes.set(code, { challenge: asked.get('code_challenge') ?? '', redirect });
    const back = new URL(redirect);
    back.search = new URLSearchParams({ code, state: asked.get('state') ?? '' }).toString();
    response.writeHead(302, { location: back.href });
    response.end();
  }

  #token(response: ServerResponse, given: URLSearchParams): void {
    const code = this.#codes.get(given.get('code') ?? '');
    const proof = createHash('sha256')
      .update(given.get('code_verifier') ?? '')
      .digest('base64url');
    const isGood = code?.challenge === proof || this.#refreshTokens.has(given.get('refresh_token') ?? '');
    if (!isGood) return json(response, 400, { error: 'invalid_grant' });
    const [access, refresh] = [randomUUID(), randomUUID()];
    this.#accessTokens.add(access);
    this.#refreshTokens.add(refresh);
    return json(response, 200, {
      access_token: access,
      refresh_token: refresh,
      token_type: 'Bearer',
      expires_in: 3600,
    });
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
