/**
 * An agent whose model runs one command in a stored session: `node run-line.ts FOLDER COMMAND [ANSWER]`. If the
 * session's run died, it is resumed; ANSWER answers its question. Prints the result as JSON.
 */
import { createAgent, textOf, type RunResult } from '@shallot/core';
import { diskFiles } from '@shallot/core/files';
import { sqliteStore } from '@shallot/core/sqlite';
import { scriptedModel } from '@shallot/testing';

import shell from '../../src/index.ts';

const [folder = '', command = '', answer] = process.argv.slice(2);
const sessionId = 'line';
const store = sqliteStore(`${folder}/sessions.db`);
const left = await store.load(sessionId);
const steps = [{ toolCalls: [{ name: 'shell', args: { command } }] }, { text: 'Done.' }];
const agent = await createAgent({
  model: scriptedModel(left === undefined ? steps : steps.slice(1)),
  store,
  files: diskFiles(folder),
  plugins: [shell({ unattended: true })],
  log: 'silent',
});

async function goOn(): Promise<RunResult> {
  if (left === undefined) return agent.run('Go.', { sessionId });
  if (answer === undefined) return agent.resume(sessionId);
  const answers = (left.run?.interrupts ?? []).map(({ id }) => [id, JSON.parse(answer)] as const);
  return agent.resume(sessionId, Object.fromEntries(answers));
}

const { outcome, interrupts, messages } = await goOn();
const results = messages.flatMap((message) => (message.role === 'tool' ? [textOf(message)] : []));
process.stdout.write(JSON.stringify({ outcome, asked: interrupts.map(({ kind }) => kind), results }));
await agent.close();
await store.close?.();
