import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { createAgent, definePlugin } from '@shallot/core';
import { sqliteStore } from '@shallot/core/sqlite';
import type { Store } from '@shallot/core/store';
import { scriptedModel } from '@shallot/testing';
import { describe, expect, it, vi } from 'vitest';

import { makeProject, type Ended, type Project } from '../../test/project.ts';

/** A project with sessions that each wait for an answer. */
async function projectWith(...sessions: readonly string[]): Promise<Project> {
  const project = makeProject({ 'shallot.config.json': '{ "model": "./model.mjs" }' });
  const store = openStore(project);
  const asker = definePlugin({
    name: 'asker',
    async beforeModel(_request, run) {
      await run.interrupt({ kind: 'question', payload: 'Milk?', answer: { type: 'string' } });
      return undefined;
    },
  })();
  const agent = await createAgent({ model: scriptedModel([]), store, plugins: [asker], log: 'silent' });
  for (const sessionId of sessions) await agent.run('Tea?', { sessionId });
  await agent.close();
  await store.close?.();
  return project;
}

function databaseOf({ folder }: Project): string {
  return join(folder, '.shallot', 'sessions.db');
}

function openStore(project: Project): Store {
  return sqliteStore(databaseOf(project));
}

function alter(project: Project, sql: string): void {
  const db = new DatabaseSync(databaseOf(project));
  db.exec(sql);
  db.close();
}

describe('a session that is damaged', () => {
  it('is listed as such, with the others', async () => {
    const project = await projectWith('one', 'two', 'three');
    alter(project, "UPDATE sessions SET messages = 7 WHERE session = 'two'");
    const { status, stdout, stderr } = await project.here(['sessions']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^three {2}interrupted .*\ntwo {4}damaged\none {4}interrupted .*\n$/);
    const json = await project.here(['sessions', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject([
      { id: 'three', status: 'interrupted' },
      { id: 'two', damaged: true },
      { id: 'one', status: 'interrupted' },
    ]);
  });

  it.each([
    ['in its row', "UPDATE sessions SET messages = 7 WHERE session = 'two'"],
    ['in its run', 'UPDATE runs SET run = run || char(32) WHERE session_id = 2'],
  ])('%s is named, and hides no questions of others', async (_where, sql) => {
    const project = await projectWith('one', 'two', 'three');
    alter(project, sql);
    const pending = await project.here(['pending', '--json']);
    expect(pending.status).toBe(0);
    expect(pending.stderr).toMatch(/^warning STORE_DAMAGED: .*session "two"/);
    const questions = JSON.parse(pending.stdout) as { readonly id: string; readonly sessionId: string }[];
    expect(questions.map(({ sessionId }) => sessionId)).toEqual(['three', 'one']);
    const answered = await project.here(['answer', questions[1]?.id ?? '', '"yes"']);
    expect(answered).toMatchObject({ status: 0, stdout: expect.stringContaining('Session one') as string });
  });

  it('can be deleted', async () => {
    const project = await projectWith('one', 'two');
    alter(project, "UPDATE sessions SET messages = 7 WHERE session = 'two'");
    expect(await project.here(['sessions', 'delete', 'two'])).toMatchObject({ status: 0 });
    expect((await project.here(['sessions'])).stdout).toMatch(/^one .*\n$/);
  });
});

/** Runs work while the command's clock is some days ahead. */
function daysLater<T>(days: number, work: () => Promise<T>): Promise<T> {
  const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + days * 86_400_000);
  return work().finally(() => now.mockRestore());
}

/** A project with a session that has a file in the directory for sessions, and one in another. */
async function projectWithFiles(): Promise<Project> {
  const project = makeProject({
    'shallot.config.json': '{ "model": "./model.mjs" }',
    '.shallot/conversation_history/ada.md': 'my card is 4111',
    '.shallot/conversation_history/bob.md': 'hello',
    'archive/ada.md': 'my card is 4111',
  });
  const store = openStore(project);
  await store.commit('ada', 0, { about: { files: ['/conversation_history/ada.md', '/archive/ada.md'] } });
  await store.commit('bob', 0, { about: { files: ['/conversation_history/bob.md'] } });
  await store.close?.();
  return project;
}

describe('files that plugins have written for a session', () => {
  it('go with it, and those that no plugin vouches for are named', async () => {
    const project = await projectWithFiles();
    const { status, stdout, stderr } = await project.here(['sessions', 'delete', 'ada']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'Session ada is deleted.\n' });
    expect(stderr).toMatch(/^warning SESSION_FILES_LEFT: .*\/archive\/ada\.md stays/);
    expect(existsSync(join(project.folder, '.shallot/conversation_history/ada.md'))).toBe(false);
    expect(existsSync(join(project.folder, '.shallot/conversation_history/bob.md'))).toBe(true);
    expect(existsSync(join(project.folder, 'archive/ada.md'))).toBe(true);
  });

  it('stay with --keep-files, and are named', async () => {
    const project = await projectWithFiles();
    const { status, stderr } = await project.here(['sessions', 'delete', 'bob', '--keep-files']);
    expect(status).toBe(0);
    expect(stderr).toMatch(/\/conversation_history\/bob\.md stays/);
    expect(existsSync(join(project.folder, '.shallot/conversation_history/bob.md'))).toBe(true);
    expect((await project.here(['sessions'])).stdout).toMatch(/^ada .*\n$/);
  });

  it('are pruned, and keep the session if they cannot be', async () => {
    const project = await projectWithFiles();
    const stuck = join(project.folder, '.shallot/conversation_history/bob.md');
    rmSync(stuck);
    mkdirSync(stuck);
    const pruned = await daysLater(31, () => project.here(['sessions', 'prune', '--older-than', '30d']));
    expect(pruned).toMatchObject({ status: 1, stdout: 'Deleted 1 session.\n' });
    expect(pruned.stderr).toMatch(/warning SESSION_FILES_LEFT: .*bob\.md/);
    expect(pruned.stderr).toMatch(/Kept 1 session with files that cannot be removed/);
    expect(existsSync(join(project.folder, '.shallot/conversation_history/ada.md'))).toBe(false);
    expect((await project.here(['sessions'])).stdout).toMatch(/^bob .*\n$/);
  });
});

describe('shallot sessions backup', () => {
  it('copies all sessions to a file that can take the place of the database', async () => {
    const project = await projectWith('one', 'two');
    const said = await project.here(['sessions', 'backup', 'copy.db']);
    const copy = join(project.folder, 'copy.db');
    expect(said).toEqual({ status: 0, stdout: `All sessions are backed up to ${copy}.\n`, stderr: '' });
    const listed = await project.here(['sessions']);
    await project.here(['sessions', 'delete', 'two']);
    renameSync(copy, databaseOf(project));
    expect(await project.here(['sessions'])).toEqual(listed);
  });

  it.each([
    [
      'a file that exists',
      'shallot.config.json',
      2,
      /^error STORE_FAILED: .* already exists\. Name a file that does not exist/,
    ],
    [
      'a directory that does not',
      'nowhere/copy.db',
      2,
      /^error STORE_FAILED: .* was not backed up: there is no directory nowhere\. Create it/,
    ],
  ])('refuses %s', async (_what, file, status, message) => {
    const project = await projectWith('one');
    const ended = await project.here(['sessions', 'backup', file]);
    expect(ended).toMatchObject({ status, stdout: '', stderr: expect.stringMatching(message) as string });
    expect(readFileSync(join(project.folder, 'shallot.config.json'), 'utf8')).toContain('model');
  });

  it('says that there is nothing to back up, and makes nothing', async () => {
    const project = makeProject({ 'shallot.config.json': '{ "model": "./model.mjs" }' });
    const ended = await project.here(['sessions', 'backup', 'copy.db']);
    expect(ended.status).toBe(2);
    expect(ended.stderr).toMatch(/does not exist yet\. There is nothing to back up before the first commit/);
    expect(existsSync(join(project.folder, '.shallot'))).toBe(false);
  });

  it('refuses a store that has no backup', async () => {
    const project = makeProject({
      'shallot.config.json': '{ "model": "./model.mjs", "store": "./store.mjs" }',
      'store.mjs':
        "import { memoryStore } from '@shallot/core'; export default () => ({ ...memoryStore(), isLocal: false });",
    });
    const ended = await project.here(['sessions', 'backup', 'copy.db']);
    expect(ended.status).toBe(2);
    expect(ended.stderr).toMatch(/does not support backups/);
  });
});

describe('shallot sessions prune', () => {
  /** A project with two old sessions, of which one waits and one has a run that died, one at work, and a new one. */
  async function oldProject(): Promise<Project> {
    const project = await projectWith('waiting', 'dead', 'busy', 'new');
    const store = openStore(project);
    for (const id of ['dead', 'busy']) {
      const { revision = 0, run } = (await store.load(id)) ?? {};
      if (run === undefined) throw new Error(`${id} has no run`);
      const claim = { owner: id, host: 'elsewhere', pid: 1, expiresAt: Date.now() + 60_000 };
      await store.commit(id, revision, {
        run: { ...run, status: 'running', interrupts: [] },
        ...(id === 'busy' ? { claim } : {}),
      });
    }
    const record = await store.load('new');
    await store.commit('new', record?.revision ?? 0, {});
    await store.close?.();
    return project;
  }

  it('deletes what is old, but keeps what waits, and what a run is at work on', async () => {
    const project = await oldProject();
    const store = openStore(project);
    const claim = { owner: 'busy', host: 'elsewhere', pid: 1, expiresAt: Date.now() + 60 * 86_400_000 };
    await store.renew('busy', claim);
    await store.close?.();
    const prune = ['sessions', 'prune', '--older-than', '30d'];
    expect(await project.here(prune)).toMatchObject({ status: 0, stdout: 'Deleted 0 sessions.\n' });
    const later = (...more: string[]): Promise<Ended> =>
      daysLater(31, () => project.here([...prune, ...more]));
    expect(await later('--dry-run')).toMatchObject({ status: 0, stdout: 'dead\n' });
    expect(await later()).toEqual({
      status: 0,
      stdout: 'Deleted 1 session.\n',
      stderr: [
        'Kept 2 sessions with open questions: --waiting deletes them, too.\n',
        'Kept 1 session that a run is at work on.\n',
      ].join(''),
    });
    expect(await later('--waiting')).toMatchObject({ status: 0, stdout: 'Deleted 2 sessions.\n' });
    expect((await project.here(['sessions'])).stdout).toMatch(/^busy .*\n$/);
  });

  it('keeps a session that somebody goes on with meanwhile', async () => {
    const project = makeProject({
      'shallot.config.json': '{ "model": "./model.mjs", "store": "./store.mjs" }',
      'store.mjs': `
        import { memoryStore } from '@shallot/core';
        export default async () => {
          const store = memoryStore();
          const revision = await store.commit('s', 0, {});
          await store.commit('t', 0, {});
          async function* listThenChange(filter) {
            for await (const summary of store.list(filter)) {
              if (summary.id === 's') await store.commit('s', revision, {});
              yield { ...summary, updatedAt: 0 };
            }
          }
          return { ...store, list: listThenChange, isLocal: false };
        };`,
    });
    expect(await project.here(['sessions', 'prune', '--older-than', '30d'])).toEqual({
      status: 0,
      stdout: 'Deleted 1 session.\n',
      stderr: 'Kept 1 session that was just changed.\n',
    });
  });

  it.each(['30', 'd', '1.5d', '-1d', '1y'])('refuses %s', async (time) => {
    const project = makeProject({ 'shallot.config.json': '{ "model": "./model.mjs" }' });
    const ended = await project.here(['sessions', 'prune', `--older-than=${time}`]);
    expect(ended).toMatchObject({ status: 2, stdout: '' });
    expect(ended.stderr).toContain(`--older-than is "${time}"`);
  });
});
