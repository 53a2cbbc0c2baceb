// A server that answers no request until another one like it has started: `node meeting-server.ts FOLDER NAME`.
import { existsSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const [folder = '', name = ''] = process.argv.slice(2);
const other = join(folder, name === 'a' ? 'b' : 'a');
const { promise: met, resolve: meet } = Promise.withResolvers<void>();
const watcher = watch(folder, look);
writeFileSync(join(folder, name), '');
look();
await met;
watcher.close();

serveStdio(() => {
  const server = new McpServer({ name: 'meeting', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.registerTool('look', { description: 'Looks.', inputSchema: z.object({}) }, () => ({ content: [] }));
  return server;
});

function look(): void {
  if (existsSync(other)) meet();
}
