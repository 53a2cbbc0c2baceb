// Serves an agent to an editor, with its sessions in a directory: `node agent.ts DIRECTORY`.
import { join } from 'node:path';

import { createAgent } from '@shallot/core';
import { diskFiles } from '@shallot/core/files';
import { sqliteStore } from '@shallot/core/sqlite';
import filesystem from '@shallot/plugin-filesystem';
import hitl from '@shallot/plugin-hitl';

import { editorPlugin, serveAcp, type EditorContext } from '../../src/index.ts';
import { newMind } from '../mind.ts';

const [directory = '.'] = process.argv.slice(2);
const store = sqliteStore(join(directory, 'sessions.db'));
const agent = await createAgent<EditorContext>({
  model: newMind(),
  store,
  plugins: [editorPlugin(), filesystem(), hitl({ tools: { write_file: true } })],
  files: diskFiles(join(directory, 'files')),
});
const served = { agent, store, directory };
await serveAcp({ served: () => served, program: { name: 'agent', version: '1.0.0' } }).closed;
await agent.close();
await store.close?.();
