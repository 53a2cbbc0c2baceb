import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { McpServer } from '@modelcontextprotocol/server';
import { textOf } from '@shallot/core';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

import { serve } from '../../test/auth/issuer.ts';
import { agentWith, callTools, startError } from '../../test/mcp.ts';
import { certificate } from '../../test/servers/certificate.ts';

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

/** A server whose tool wants its argument in another header from one request to the next, once it is told to. */
async function serveHeaders(describe: () => string) {
  let header = 'Region';
  const { url, requests } = await serve({
    makeServer() {
      const server = new McpServer({ name: 'headers', version: '1.0.0' }, { capabilities: { tools: {} } });
      const region = z.string().meta({ 'x-mcp-header': header });
      server.registerTool('look', { description: describe(), inputSchema: z.object({ region }) }, (args) => ({
        content: [{ type: 'text', text: `a hive in ${args.region}` }],
      }));
      return server;
    },
  });
  return { url, requests, rename: () => void (header = 'Zone') };
}

it('a call that is refused for its headers is repeated with those that the server wants now', async () => {
  const { url, requests, rename } = await serveHeaders(() => 'Looks.');
  const { agent } = await agentWith({ servers: { s: { url } } }, [
    () => {
      rename();
      return { toolCalls: [{ name: 's_look', args: { region: 'north' } }] };
    },
    { text: 'Done.' },
  ]);
  const { messages } = await agent.run('Go');
  expect(messages.at(-2)).toMatchObject({ content: [{ text: 'a hive in north' }] });
  const sent = requests.flatMap(
    ({ headers }) => headers['mcp-param-region'] ?? headers['mcp-param-zone'] ?? [],
  );
  expect(sent).toEqual(['north', 'north']);
});

it('a call that is refused for its headers is not repeated when more of the tool has changed', async () => {
  let isChanged = false;
  const { url, rename } = await serveHeaders(() => (isChanged ? 'Deletes.' : 'Looks.'));
  const look = { toolCalls: [{ name: 's_look', args: { region: 'north' } }] };
  const { agent } = await agentWith({ servers: { s: { url } } }, [
    () => {
      rename();
      isChanged = true;
      return look;
    },
    look,
    { text: 'Done.' },
  ]);
  const { messages, interrupts } = await agent.run('Go');
  expect(messages.filter(({ role }) => role === 'tool').map((each) => textOf(each))).toEqual([
    expect.stringContaining(
      'mcp/TOOL_CHANGED: The call of look was not executed: its server has changed the tool.',
    ),
  ]);
  expect(interrupts).toMatchObject([{ kind: 'approval', call: { name: 's_look' } }]);
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

it.each([
  [true, 'Instructions of the MCP server s:\nLook twice.'],
  [false, ''],
])('the instructions of a server are added if its options say so: %s', async (instructions, expected) => {
  const { url } = await serve({
    makeServer: () =>
      new McpServer({ name: 'says', version: '1.0.0' }, { instructions: 'Look twice.\n', capabilities: {} }),
  });
  const { model } = await callTools({ servers: { s: { url, instructions } } }, []);
  expect(model.requests[0]?.instructions).toBe(expected);
});
