import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { McpServer } from '@modelcontextprotocol/server';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

import { serve } from '../auth/test-issuer.ts';
import { callTools, startError } from '../test-mcp.ts';
import { certificate } from './test-certificate.ts';

it('a server with a wrong certificate is a named error', async () => {
  const server = createServer(certificate, (_, response) => void response.end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  const error = await startError({ servers: { s: { url: `https://127.0.0.1:${port}/mcp` } } });
  expect(error).toMatchObject({
    code: 'mcp/SERVER_FAILED',
    message: expect.stringContaining('self-signed certificate') as string,
  });
});

it.each([
  ['again once its time is over', 1, false],
  ['only once within its time', 600_000, true],
])('the list of tools of a server that gives it a time is fetched %s', async (_, ttlMs, isSame) => {
  let servers = 0;
  const { url } = await serve({
    makeServer() {
      const cacheHints = { 'tools/list': { ttlMs } };
      const server = new McpServer(
        { name: 'ttl', version: '1.0.0' },
        { capabilities: { tools: {} }, cacheHints },
      );
      const description = `server ${(servers += 1)}`;
      server.registerTool('look', { description, inputSchema: z.object({}) }, async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        return { content: [] };
      });
      return server;
    },
  });
  const { model } = await callTools({ servers: { s: { url } } }, [{ name: 's_look' }]);
  const [first, second] = model.requests.map(({ tools = [] }) => tools[0]?.description);
  expect(first).toMatch(/^server \d/);
  expect(first === second).toBe(isSame);
});
