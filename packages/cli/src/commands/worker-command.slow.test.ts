import { join } from 'node:path';

import { sqliteStore } from '@shallot/core/sqlite';
import type { Store } from '@shallot/core/store';
import { followRun, submitRun } from '@shallot/core/work';
import { describe, expect, it, onTestFinished } from 'vitest';

import { makeProject, type Project, type Running } from '../../test/project.ts';

function openStore({ folder }: Project): Store {
  const store = sqliteStore(join(folder, '.shallot', 'sessions.db'));
  onTestFinished(() => store.close());
  return store;
}

function startWorker(project: Project, ...args: readonly string[]): Running {
  const worker = project.start(['worker', '--interval', '1', ...args]);
  onTestFinished(() => void worker.child.kill('SIGKILL'));
  return worker;
}

async function endOf(store: Store, sessionId: string): Promise<unknown> {
  let end: unknown;
  for await (const event of followRun(store, sessionId, { intervalMs: 20 })) end = event;
  return end;
}

const config = 'name: test\nmodel: ./model.ts\ncontext: ./context.ts\ntools: [./tools.ts]\n';

const project = {
  'shallot.config.yaml': config,
  'context.ts': 'export default (sessionId, { user }) => ({ sessionId, user });',
  'model.ts': `
    import { scriptedModel } from '@shallot/testing';
    export default scriptedModel([{ toolCalls: [{ name: 'who' }] }, { text: 'Done.' }, { text: 'Done.' }]);`,
  'tools.ts': `
    import { defineTool } from '@shallot/core';
    export const who = defineTool({ name: 'who', description: 'Who', input: { type: 'object' },
      execute: (_args, { run }) => JSON.stringify(run.context) });`,
};

/** A tool that ends when a file is there. */
const waiting = {
  ...project,
  'tools.ts': `
    import { existsSync } from 'node:fs';
    import { defineTool } from '@shallot/core';
    import { setTimeout as sleep } from 'node:timers/promises';
    export const who = defineTool({ name: 'who', description: 'Who', input: { type: 'object' },
      async execute() {
        console.error('the tool waits');
        while (!existsSync('go')) await sleep(10);
        return 'went';
      } });`,
};

describe('shallot run --detach', () => {
  it('submits a run that a worker executes, with the context of its metadata', async () => {
    const here = makeProject(project);
    const submitted = await here.here(['run', '--detach', '--metadata', '{"user":"ann"}', 'Go']);
    expect(submitted).toMatchObject({ status: 0, stderr: '' });
    const sessionId = submitted.stdout.trim();
    const worker = startWorker(here);
    const store = openStore(here);
    expect(await endOf(store, sessionId)).toMatchObject({ type: 'run-end', outcome: 'completed' });
    const told = (await store.load(sessionId))?.messages.find(({ role }) => role === 'tool');
    expect(JSON.stringify(told)).toContain(JSON.stringify(JSON.stringify({ sessionId, user: 'ann' })));
    await worker.seen(`completed ${sessionId}`);
    worker.child.kill('SIGTERM');
    expect((await worker.ended).status).toBe(0);
  });

  it.each([
    [['--metadata', '[]'], /--metadata is no object/],
    [['--metadata', '{'], /--metadata: This is not JSON/],
    [['-s', 'kept'], /SESSION_UNFINISHED/],
  ])('refuses %j', async (args, message) => {
    const here = makeProject(project);
    await submitRun(openStore(here), 'kept', 'Go', { agent: 'test' });
    const { stdout, stderr } = await here.here(['run', '--detach', ...args, 'Go']);
    expect(stderr).toMatch(message);
    expect(stdout).toBe('');
  });

  it('takes no metadata for a run of its own', async () => {
    const here = makeProject(project);
    for (const [option = '', ...value] of [['--metadata', '{}'], ['--stream']]) {
      const { status, stderr } = await here.here(['run', option, ...value, 'Go']);
      expect({ status, stderr }).toEqual({
        status: 2,
        stderr: `error USAGE_INVALID: ${option} needs --detach.\n`,
      });
    }
  });
});

describe('shallot worker', () => {
  it('hands its run back after the step when it is told to stop, and another one goes on', async () => {
    const here = makeProject(waiting);
    const store = openStore(here);
    await submitRun(store, 's', 'Go', { agent: 'test' });
    const first = startWorker(here);
    await first.seen('the tool waits');
    first.child.kill('SIGTERM');
    await first.seen('Stopping');
    here.write({ go: '' });
    await first.seen('handed back s');
    expect((await first.ended).status).toBe(0);
    expect(await store.load('s')).toMatchObject({ run: { status: 'running', step: 1 } });
    expect((await store.load('s'))?.claim).toBeUndefined();
    here.write({ 'model.ts': project['model.ts'].replace("{ toolCalls: [{ name: 'who' }] }, ", '') });
    startWorker(here);
    expect(await endOf(store, 's')).toMatchObject({ outcome: 'completed' });
    expect((await store.load('s'))?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
  });

  it('hands a run back whose step does not end in time', async () => {
    const here = makeProject(waiting);
    const store = openStore(here);
    await submitRun(store, 's', 'Go', { agent: 'test' });
    const worker = startWorker(here, '--stop-timeout', '1');
    await worker.seen('the tool waits');
    worker.child.kill('SIGTERM');
    expect((await worker.ended).status).toBe(0);
    expect((await store.load('s'))?.run).toMatchObject({ status: 'running', position: { at: 'tools' } });
  });

  it('ends at once at a second signal', async () => {
    const here = makeProject(waiting);
    await submitRun(openStore(here), 's', 'Go', { agent: 'test' });
    const worker = startWorker(here);
    await worker.seen('the tool waits');
    worker.child.kill('SIGINT');
    await worker.seen('Stopping');
    worker.child.kill('SIGTERM');
    expect((await worker.ended).status).toBe(143);
  });
});

describe('a parked run', () => {
  it('is shown with its error, and taken up by shallot resume', async () => {
    const here = makeProject(project);
    const store = openStore(here);
    await submitRun(store, 's', 'Go', { agent: 'test' });
    const record = await store.load('s');
    if (record?.run === undefined) throw new Error('There is no run.');
    const failure = { code: 'RUN_STUCK', message: 'Three workers died.' } as const;
    await store.commit('s', record.revision, { run: { ...record.run, parked: true, failure } });
    const listed = await here.here(['sessions', '--status', 'parked']);
    expect(listed.stdout).toMatch(/^s {2}parked {2}/);
    expect(listed.stderr).toBe('s: RUN_STUCK Three workers died.\n');
    expect(await here.run(['resume', '-q', 's'])).toMatchObject({ status: 0, stdout: 'Done.\n' });
    expect((await here.here(['sessions', '--status', 'parked'])).stdout).toBe('');
  });
});
