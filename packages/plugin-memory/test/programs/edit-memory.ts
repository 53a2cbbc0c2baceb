/**
 * An agent whose model edits `/AGENTS.md` once: `node edit-memory.ts FOLDER SESSION OLD_TEXT NEW_TEXT [KILL]`. An empty
 * OLD_TEXT means none. With KILL, which is `before` or `after`, the process kills itself at that time relative to the
 * write. If a run of the session has died, it is resumed.
 */
import { createAgent } from '@shallot/core';
import type { Files } from '@shallot/core/files';
import { diskFiles } from '@shallot/core/files';
import { sqliteStore } from '@shallot/core/sqlite';
import { scriptedModel } from '@shallot/testing';

import memory from '../../src/index.ts';

const [folder = '', sessionId = '', oldText = '', newText = '', kill] = process.argv.slice(2);

function dying(files: Files): Files {
  const die = (): void => void process.kill(process.pid, 'SIGKILL');
  return {
    ...files,
    async write(...args) {
      if (kill === 'before') die();
      const revision = await files.write(...args);
      if (kill === 'after') die();
      return revision;
    },
  };
}

const edit = { path: '/AGENTS.md', new_text: newText, ...(oldText === '' ? {} : { old_text: oldText }) };
const store = sqliteStore(`${folder}/sessions.db`);
const left = await store.load(sessionId);
const steps = [{ toolCalls: [{ name: 'edit_memory', args: edit }] }, { text: 'Noted.' }];
const agent = await createAgent({
  model: scriptedModel(left === undefined ? steps : steps.slice(1)),
  store,
  files: dying(diskFiles(`${folder}/files`)),
  plugins: [memory({ writable: true })],
  log: 'silent',
});
const result =
  left === undefined ? await agent.run('Note it.', { sessionId }) : await agent.resume(sessionId);
for (const message of result.messages) {
  if (message.role === 'tool') process.stdout.write(JSON.stringify(message.content));
}
await agent.close();
await store.close?.();
