import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { createAgent, defineTool } from '@shallot/core';
import { sqliteStore } from '@shallot/core/sqlite';
import type { Store } from '@shallot/core/store';
import { scriptedModel } from '@shallot/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

import { makeProject, type Project } from '../../test/project.ts';

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
  const revision = (await store.load('ended'))?.revision ?? 0;
  await store.commit('ended', revision, { about: { files: ['/conversation_history/ended.md'] } });
  return project;
}

describe('shallot store copy', () => {
  it('copies sessions whole, and nothing twice', async () => {
    const project = await projectWithSessions();
    const copied = await project.here(['store', 'copy', 'old.db', 'new.db']);
    expect(copied).toEqual({ status: 0, stdout: 'Copied and compared 2 sessions.\n', stderr: '' });
    const [from, to] = [open(project, 'old.db'), open(project, 'new.db')];
    for (const id of ['ended', 'waits']) {
      const { messages, state, journal, run, about } = (await from.load(id)) ?? {};
      expect(await to.load(id)).toMatchObject({ messages, state, journal, run, ...(about && { about }) });
    }
    const ids: string[] = [];
    for await (const { id } of to.list()) ids.push(id);
    expect(ids).toEqual(['ended', 'waits']);
    expect((await to.load('ended'))?.about).toEqual({ files: ['/conversation_history/ended.md'] });
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

describe('shallot store stats', () => {
  it('counts the sessions of a store without statistics of its own', async () => {
    const project = await projectWithSessions();
    const store = open(project, 'old.db');
    const { run, revision = 0 } = (await store.load('waits')) ?? {};
    if (run === undefined) throw new Error('There is no run.');
    await store.commit('new', 0, { run: { ...run, status: 'running', interrupts: [] } });
    await store.commit('waits', revision, {
      run: { ...run, parked: true, failure: { code: 'RUN_STUCK', message: 'no' } },
    });
    writeFileSync(
      join(project.folder, 'shallot.config.json'),
      '{ "model": "./model.mjs", "store": { "use": "sqlite", "path": "old.db" } }',
    );
    const { stdout } = await project.here(['store', 'stats']);
    expect(stdout.replace(/for \d+ s/, 'for 0 s')).toBe(`sessions  3 (completed 1, parked 1, running 1)
waiting   1 for any agent, the oldest for 0 s
running   0
parked    1 with RUN_STUCK
`);
    const { stdout: json } = await project.here(['store', 'stats', '--json']);
    expect(JSON.parse(json)).toMatchObject({ sessions: { parked: 1 }, parked: [{ reason: 'RUN_STUCK' }] });
  });
});

describe('shallot store grants', () => {
  it('prints what the store says, and refuses other rights and stores', async () => {
    const project = makeProject({
      'shallot.config.json': '{ "store": "./store.mjs" }',
      'store.mjs': `
        import { memoryStore } from '@shallot/core';
        export default { ...memoryStore(), grants: (role, rights) => \`GRANT \${rights} TO \${role};\` };`,
    });
    expect((await project.here(['store', 'grants', 'ann'])).stdout).toBe('GRANT work TO ann;\n');
    expect((await project.here(['store', 'grants', 'ann', '--rights', 'all'])).stderr).toMatch(
      /write work, submit, read/,
    );
    const without = makeProject({ 'shallot.config.json': '{ "model": "./model.mjs" }' });
    expect(await without.here(['store', 'grants', 'ann'])).toMatchObject({ status: 2 });
  });
});
