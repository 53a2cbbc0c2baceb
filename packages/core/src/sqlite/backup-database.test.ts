import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test, vi } from 'vitest';

import { message, messages, withoutTimes } from '../../../testing/src/store/store-samples.ts';
import { sqliteStore } from './sqlite-store.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('a backup is one file with all that was committed, which only its owner can read', async () => {
  const folder = newFolder();
  const store = sqliteStore(join(folder, 'sessions.db'));
  await store.commit('a', 0, { append: messages('1', '2'), state: { p: { k: { version: 1, value: 1 } } } });
  await store.commit('b', 0, { journal: { k: { type: 'intent', id: 'execution' } } });
  const to = join(folder, 'copy.db');
  await store.backup(to);
  expect(statSync(to).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual(['copy.db']);

  const copy = sqliteStore(to);
  for (const id of ['a', 'b']) expect(await copy.load(id)).toEqual(await store.load(id));
  expect(await copy.commit('a', 1, { append: messages('3') })).toBe(2);
  expect(await store.load('a')).toMatchObject({ revision: 1 });
  await copy.close();
  await store.close();
});

test('a backup can take the place of the database', async () => {
  const path = join(newFolder(), 'sessions.db');
  const store = sqliteStore(path);
  await store.commit('s', 0, { append: messages('1') });
  await store.backup(`${path}.backup`);
  const kept = withoutTimes(await store.load('s'));
  await store.commit('s', 1, { append: messages('2') });
  await store.close();
  renameSync(`${path}.backup`, path);
  const restored = sqliteStore(path);
  expect(withoutTimes(await restored.load('s'))).toEqual(kept);
  await restored.close();
});

test('a backup is at one commit, whatever another process commits meanwhile', async () => {
  const folder = newFolder();
  const path = join(folder, 'sessions.db');
  const store = sqliteStore(path);
  const many = Array.from({ length: 200 }, (_, n) => message(`m${n}`, 'x'.repeat(5000)));
  await store.commit('s', 0, { append: many });
  const program = `
    const { sqliteStore } = await import(${JSON.stringify(import.meta.resolve('./sqlite-store.ts'))});
    const store = sqliteStore(${JSON.stringify(path)});
    let isOver = false;
    process.once('message', () => (isOver = true));
    for (let revision = 1; !isOver;) {
      const value = { version: 1, value: revision + 1 };
      revision = await store.commit('s', revision, {
        append: [{ id: 'n' + revision, role: 'user', content: [] }], state: { p: { revision: value } },
      });
      process.send?.(revision);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await store.close();
    process.disconnect();`;
  const writer = spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', program], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => void writer.kill('SIGKILL'));
  const exited = once(writer, 'exit');
  let last = 0;
  writer.on('message', (revision) => (last = Number(revision)));
  await once(writer, 'message');
  for (let round = 0; round < 5; round += 1) {
    const before = last;
    const to = join(folder, `${round}.db`);
    await store.backup(to);
    const copy = sqliteStore(to);
    const record = await copy.load('s');
    await copy.close();
    const revision = record?.revision ?? 0;
    expect(revision).toBeGreaterThanOrEqual(before);
    expect(record?.messages).toHaveLength(199 + revision);
    expect(record?.state['p']?.['revision']?.value).toBe(revision);
  }
  writer.send('stop');
  await exited;
  expect(await store.load('s')).toMatchObject({ revision: last });
  await store.close();
});

test('a file that exists is not overwritten', async () => {
  const folder = newFolder();
  const store = sqliteStore(join(folder, 'sessions.db'));
  await store.commit('s', 0, {});
  const taken = join(folder, 'taken');
  writeFileSync(taken, '');
  for (const to of [taken, folder, join(folder, 'sessions.db')]) {
    await expect(store.backup(to)).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringMatching(/was not backed up: \S+ already exists\. Name a file/) as string,
    });
  }
  expect(readFileSync(taken, 'utf8')).toBe('');
  expect(await store.load('s')).toMatchObject({ revision: 1 });
  await store.close();
});

test('a directory that is missing, or is a file, is named', async () => {
  const folder = newFolder();
  const store = sqliteStore(join(folder, 'sessions.db'));
  await store.commit('s', 0, {});
  for (const name of ['none', 'sessions.db']) {
    await expect(store.backup(join(folder, name, 'copy.db'))).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: `The session database ${join(folder, 'sessions.db')} was not backed up: there is no directory ${join(folder, name)}. Create it, or name a file in another one.`,
    });
  }
  await store.close();
});

test('what cannot be backed up is said, and nothing is left behind', async () => {
  const folder = newFolder();
  const none = sqliteStore(join(folder, 'none', 'sessions.db'));
  await expect(none.backup(join(folder, 'copy.db'))).rejects.toMatchObject({
    code: 'STORE_FAILED',
    message: expect.stringMatching(/does not exist yet\. There is nothing to back up/) as string,
  });
  const store = sqliteStore(join(folder, 'sessions.db'));
  await store.commit('s', 0, {});
  await expect(store.backup(join(folder, 'nowhere', 'copy.db'))).rejects.toMatchObject({
    code: 'STORE_FAILED',
    message: expect.stringMatching(/was not backed up: there is no directory \S+nowhere\./) as string,
  });
  await store.close();
  await expect(store.backup(join(folder, 'copy.db'))).rejects.toMatchObject({ code: 'STORE_FAILED' });
  expect(readdirSync(folder)).toEqual(['sessions.db']);
  expect(existsSync(join(folder, 'none'))).toBe(false);
});

test('a database is made, and backed up, where there are no hard links', async () => {
  const links = vi.spyOn(fs, 'linkSync').mockImplementation(() => {
    throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    links.mockRestore();
    syncBuiltinESMExports();
  });
  const folder = newFolder();
  const store = sqliteStore(join(folder, 'sessions.db'));
  await store.commit('s', 0, {});
  await store.backup(join(folder, 'copy.db'));
  await store.close();
  expect(readdirSync(folder).toSorted()).toEqual(['copy.db', 'sessions.db']);
});
