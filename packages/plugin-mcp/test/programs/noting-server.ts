// A server that records in a folder that it has started, and that its stdin has ended: `node noting-server.ts FOLDER`.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const [folder = ''] = process.argv.slice(2);
process.stdin.on('end', () => writeFileSync(join(folder, 'stdin-ended'), ''));
serveStdio(() => new McpServer({ name: 'noting', version: '1.0.0' }, { capabilities: { tools: {} } }));
// Renamed after it is written, so that readers which wait for it never see a part.
writeFileSync(join(folder, 'ready.tmp'), String(process.pid));
renameSync(join(folder, 'ready.tmp'), join(folder, 'ready'));
