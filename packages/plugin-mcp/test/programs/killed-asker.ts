// An agent that makes one call, and is killed as soon as a question of the server is stored: `node killed-asker.ts
// FOLDER SERVER CALL [ANSWER]`. ANSWER is for a question that is waiting. If the run ends without being killed, its
// result is printed.
import { join } from 'node:path';

import { createAgent } from '@shallot/core';
import { sqliteStore } from '@shallot/core/sqlite';
import { pendingInterrupts } from '@shallot/core/work';
import { scriptedModel, type ScriptedToolCall } from '@shallot/testing';

import mcp from '../../src/index.ts';

const [folder = '', server = '', call = '', answer] = process.argv.slice(2);
const store = sqliteStore(join(folder, 'sessions.db'));
const args = [join(import.meta.dirname, server), join(folder, 'server.txt')];
const pending = await pendingInterrupts(store, 's');
const steps = [{ toolCalls: [JSON.parse(call) as ScriptedToolCall] }, { text: 'Done.' }];
const servers = { s: { command: process.execPath, args, resources: true, prompts: true } };
const agent = await createAgent({
  model: scriptedModel(answer === undefined ? steps : steps.slice(1)),
  store,
  plugins: [mcp({ servers })],
});
const stream =
  answer === undefined
    ? agent.stream('Go.', { sessionId: 's' })
    : agent.streamResume('s', Object.fromEntries(pending.map(({ id }) => [id, JSON.parse(answer)])));
for await (const event of stream) if (event.type === 'interrupt') process.kill(process.pid, 'SIGKILL');
process.stdout.write(JSON.stringify(await stream.result));
await agent.close();
