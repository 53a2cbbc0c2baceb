import { join } from 'node:path';

import { createAgent, defineTool } from '@shallot/core';
import { sqliteStore } from '@shallot/core/sqlite';
import type { Store } from '@shallot/core/store';
import { scriptedModel } from '@shallot/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

import { makeProject, type Project } from '../test-project.ts';

function open({ folder }: Project, file: string): Store {
  const store = sqliteStore(join(folder, file));
  onTestFinished(() => store.close());
  return store;
}

const ask = defineTool({
  name: 'ask',
  description: 'Asks.',
  input: { type: 'object' },
  execute: (_args, { interrupt }) =>
    interrupt({ kind: 'question', payload: 'Sure?', answer: { type: 'string' } }),
});

/** A project with an ended session and one that waits, in `old.db`. */
async function projectWithSessions(): Promise<Project> {
  const project = makeProject({ 'shallot.config.json': '{ "model": "./model.mjs" }' });
  const store = open(project, 'old.db');
  const model = scriptedModel([{ text: 'Tea. \u0000\ud800' }, { toolCalls: [{ name: 'ask' }] }]);
  const agent = await createAgent({ model, store, tools: [ask], log: 'silent' });
  await agent.run('What is there?', { sessionId: 'ended' });
  await agent.run('Pay', { sessionId: 'waits' });
  await agent.close();
  return project;
}

describe('shallot store copy', () => {
  it('copies sessions whole, and nothing twice', async () => {
    const project = await projectWithSessions();
    const copied = await project.here(['store', 'copy', 'old.db', 'new.db']);
    expect(copied).toEqual({ status: 0, stdout: 'Copied and compared 2 sessions.\n', stderr: '' });
    const [from, to] = [open(project, 'old.db'), open(project, 'new.db')];
    for (const id of ['ended', 'waits']) {
      const { messages, state, journal, run } = (await from.load(id)) ?? {};
      expect(await to.load(id)).toMatchObject({ messages, state, journal, run });
    }
    const ids: string[] = [];
    for await (const { id } of to.list()) ids.push(id);
    expect(ids).toEqual(['waits', 'ended']);
    const again = await project.here(['store', 'copy', 'old.db', 'new.db']);
    expect(again).toEqual({
      status: 0,
      stdout: 'Copied and compared 0 sessions.\n',
      stderr: '2 sessions had the same content there already.\n',
    });
  });

  it('overwrites no other session, copies none that is being worked on, and copies the others', async () => {
    const project = await projectWithSessions();
    const [from, to] = [open(project, 'old.db'), open(project, '.shallot/sessions.db')];
    await to.commit('ended', 0, {
      append: [{ id: 'm', role: 'user', content: [{ type: 'text', text: 'Mine' }] }],
    });
    const claim = { owner: 'o', host: 'elsewhere', pid: 1, expiresAt: Date.now() + 1_000_000 };
    await from.commit('busy', 0, { claim });
    const { status, stdout, stderr } = await project.here(['store', 'copy', 'old.db', 'shallot.config.json']);
    expect(status).toBe(1);
    expect(stdout).toBe('Copied and compared 1 session.\n');
    expect(stderr).toMatch(/Session "busy" is being worked on/);
    expect(stderr).toMatch(/Session "ended" has other content in the store to copy to/);
    expect(stderr).toMatch(/Not copied: 2 sessions\./);
    expect((await to.load('ended'))?.messages).toHaveLength(1);
  });

  it.each([
    ['nowhere.db', /There is no database nowhere\.db/],
    ['nowhere.yaml', /CONFIG_NOT_FOUND/],
    ['postgres://ann:s3cr3t-pw@127.0.0.1:1/db', /store-postgres.* npm install @shallot\/store-postgres/s],
  ])('refuses %s', async (from, message) => {
    const { status, stderr } = await makeProject({}).here(['store', 'copy', from, 'new.db']);
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('s3cr3t-pw');
  });
});

describe('shallot store migrate', () => {
  it('says so where nothing is to be done', async () => {
    const project = makeProject({ 'shallot.config.json': '{ "model": "./model.mjs" }' });
    const { status, stdout } = await project.here(['store', 'migrate']);
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: 'The store of this config needs no migration.\n',
    });
  });

  it('tells the versions', async () => {
    const project = makeProject({
      'shallot.config.json': '{ "store": "./store.mjs" }',
      'store.mjs': `
        import { memoryStore } from '@shallot/core';
        let version = 0;
        export default { ...memoryStore(), migrate: async () => ({ from: version, to: version = 2 }) };`,
    });
    const lines = [];
    for (let n = 0; n < 2; n += 1) lines.push((await project.here(['store', 'migrate'])).stdout);
    expect(lines).toEqual([
      'The tables had version 0, and have 2 now.\n',
      'The tables have version 2 already.\n',
    ]);
  });
});
