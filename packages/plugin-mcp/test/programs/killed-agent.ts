// An agent with a server that records the end of its stdin: `node killed-agent.ts FOLDER`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { createAgent } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';

import mcp from '../../src/index.ts';

const [folder = ''] = process.argv.slice(2);
const args = [join(import.meta.dirname, 'noting-server.ts'), folder];
await createAgent({
  model: scriptedModel([]),
  plugins: [mcp({ servers: { s: { command: process.execPath, args } } })],
});
writeFileSync(join(folder, 'agent-started'), '');
