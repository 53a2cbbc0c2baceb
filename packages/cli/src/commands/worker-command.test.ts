import { join } from 'node:path';

import { sqliteStore } from '@shallot/core/sqlite';
import { submitRun } from '@shallot/core/work';
import { expect, it, onTestFinished } from 'vitest';

import { makeProject } from '../../test/project.ts';

/** The model tells the worker to stop, which it has been started in this process with. */
const files = {
  'shallot.config.yaml': 'name: test\nversion: 2.0.0\nmodel: ./model.mjs\n',
  'model.mjs': `
    export default { id: 'test/stops', async generate() {
      process.emit('SIGTERM', 'SIGTERM');
      return { message: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }, finish: 'stop' };
    } };`,
};

it('shallot worker --versions same --owner takes only the runs that both allow', async () => {
  const project = makeProject(files);
  const store = sqliteStore(join(project.folder, '.shallot', 'sessions.db'));
  onTestFinished(() => store.close());
  await submitRun(store, 'of bob', 'Go', { agent: 'test', owner: 'bob' });
  await submitRun(store, 'of another version', 'Go', { agent: 'test', owner: 'ann' });
  const { revision = 0, run } = (await store.load('of another version')) ?? {};
  if (run === undefined) throw new Error('There is no run.');
  await store.commit('of another version', revision, {
    run: { ...run, agent: { id: 'test', version: '1.0.0' } },
  });
  await submitRun(store, 'of ann', 'Go', { agent: 'test', owner: 'ann' });
  const worked = await project.here(['worker', '--versions', 'same', '--owner', 'ann', '--interval', '1']);
  expect(worked).toMatchObject({ status: 0, stderr: expect.stringContaining('completed of ann') as string });
  const ended: string[] = [];
  for await (const { id } of store.list({ status: 'completed' })) ended.push(id);
  expect(ended).toEqual(['of ann']);
});

it.each([
  [['--versions', 'new'], '--versions is "new"; write any, or same'],
  [['--owner', ''], '--owner is empty; write the owner'],
  [['--concurrency', 'many'], '--concurrency is "many"; write a whole number of at least 1.'],
])('refuses %j', async (args, message) => {
  const { status, stderr } = await makeProject(files).here(['worker', ...args]);
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
});
