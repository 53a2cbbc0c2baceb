import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import { makeProject } from '../../../test/test-project.ts';
import { defineTool } from '../../contract/tool.ts';
import { loadAgent } from '../load-agent.ts';
import { loadConfig } from '../load-config.ts';
import { openKeptRules } from './kept-rules.ts';

const module = new URL('kept-rules.ts', import.meta.url).href;

/** Runs code with the rules of a file in a process of its own. */
async function elsewhere(file: string, code: string): Promise<void> {
  const script = `const { openKeptRules } = await import(${JSON.stringify(module)});
const kept = await openKeptRules(${JSON.stringify(file)}, 10_000);
${code}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
  const [status] = (await once(child, 'exit')) as [number | null];
  expect(status).toBe(0);
}

/** A project in which a session runs while `act` does something; `act` gets the file of the kept rules. */
async function whileRunning(act: (file: string) => Promise<void>) {
  const { directory } = makeProject({ 'shallot.config.yaml': 'model: offline\n' });
  const file = join(directory, '.shallot', 'permissions.yaml');
  const tool = defineTool({
    name: 'act',
    description: 'Acts.',
    input: { type: 'object' },
    execute: async () => {
      await act(file);
      return 'done';
    },
  });
  const model = scriptedModel([{ toolCalls: [{ name: 'act', args: {} }] }, { text: 'Done.' }]);
  const { agent } = await loadAgent({ cwd: directory, model, tools: [tool], toolErrors: 'throw' });
  await agent.run('Go.');
  await agent.close();
  return { directory, file };
}

it('rules that other processes keep and remove while a session runs are loaded', async () => {
  const { directory, file } = await whileRunning(async (kept) => {
    await Promise.all(
      [1, 2, 3].map((writer) =>
        elsewhere(kept, `for (let at = 0; at < 3; at += 1) await kept.add('look_${writer}' + at);`),
      ),
    );
    await elsewhere(kept, `await kept.remove('look_10');`);
  });
  await loadConfig({ cwd: directory });
  expect((await openKeptRules(file, 10_000)).list().toSorted()).toEqual([
    'look_11',
    'look_12',
    'look_20',
    'look_21',
    'look_22',
    'look_30',
    'look_31',
    'look_32',
  ]);
  expect(existsSync(join(directory, '.shallot', 'loaded'))).toBe(true);
});

it('a rule that a command of the session writes is not loaded unseen', async () => {
  const { directory } = await whileRunning(async (file) => {
    await elsewhere(file, `await kept.add('look');`);
    appendFileSync(file, 'ask: []\n');
  });
  await expect(loadConfig({ cwd: directory })).rejects.toMatchObject({
    code: 'FILE_CHANGED',
    message: expect.stringContaining('permissions.yaml was added') as string,
  });
});
