// A server of revision 2026-07-28, whose tools return every kind of result.
import { setTimeout as delay } from 'node:timers/promises';

import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

serveStdio(() => {
  const server = new McpServer(
    { name: 'everyday', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.registerTool(
    'add',
    {
      description: 'Adds.',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }),
  );
  server.registerTool('environment', { description: 'The environment.', inputSchema: z.object({}) }, () => ({
    content: [{ type: 'text', text: JSON.stringify({ cwd: process.cwd(), env: process.env }) }],
  }));
  server.registerTool('mixed', { description: 'All kinds.', inputSchema: z.object({}) }, () => ({
    content: [
      { type: 'text', text: 'a text' },
      { type: 'image', mimeType: 'image/png', data: 'aGk=' },
      { type: 'audio', mimeType: 'audio/wav', data: 'aGk=' },
      {
        type: 'resource_link',
        name: 'notes',
        uri: 'note://1',
        mimeType: 'text/plain',
        description: 'the notes',
      },
      { type: 'resource', resource: { uri: 'note://2', text: 'the text of it' } },
      { type: 'resource', resource: { uri: 'note://3', mimeType: 'application/pdf', blob: 'aGk=' } },
    ],
  }));
  server.registerTool('fail', { description: 'Fails.', inputSchema: z.object({}) }, () => ({
    content: [{ type: 'text', text: 'it went wrong' }],
    isError: true,
  }));
  server.registerTool(
    'count',
    {
      description: 'Counts, with progress.',
      inputSchema: z.object({ to: z.number(), everyMs: z.number().default(5) }),
    },
    async ({ to, everyMs }, context) => {
      const { progressToken } = context.mcpReq._meta ?? {};
      for (let n = 1; n <= to; n += 1) {
        if (progressToken !== undefined)
          await context.mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken, progress: n, total: to, message: `at ${n}` },
          });
        await delay(everyMs);
      }
      return { content: [{ type: 'text', text: 'counted' }] };
    },
  );
  server.registerTool(
    'wait',
    { description: 'Waits until it is cancelled.', inputSchema: z.object({}) },
    async (_args, context) => {
      process.stderr.write('waiting\n');
      context.mcpReq.signal.addEventListener('abort', () => process.stderr.write('cancelled\n'));
      await delay(60_000, undefined, { signal: context.mcpReq.signal });
      return { content: [] };
    },
  );
  server.registerTool('die', { description: 'Ends the server.', inputSchema: z.object({}) }, () =>
    process.exit(3),
  );
  server.registerTool('grow', { description: 'Adds a tool.', inputSchema: z.object({}) }, () => {
    server.registerTool('grown', { description: 'Was added.', inputSchema: z.object({}) }, () => ({
      content: [{ type: 'text', text: 'grown up' }],
    }));
    return { content: [{ type: 'text', text: 'a tool was added' }] };
  });
  return server;
});
