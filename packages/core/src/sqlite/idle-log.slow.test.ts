import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { isSafeWal } from './safe-wal.ts';
import { sqliteStore, type SqliteStore } from './sqlite-store.ts';

const soon = { timeout: 30_000, interval: 50 };

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-idle-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'sessions.db');
}

function openedStore(path: string): SqliteStore {
  const store = sqliteStore(path);
  onTestFinished(() => store.close());
  return store;
}

function logSize(path: string): number | undefined {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size;
}

// An older SQLite works without a log.
describe.runIf(isSafeWal(process.versions.sqlite ?? ''))('the log', () => {
  test('may be lost after a crash, when nothing was committed for a while before it', async () => {
    const path = newPath();
    const program = `
      const { sqliteStore } = await import(${JSON.stringify(import.meta.resolve('./sqlite-store.ts'))});
      const store = sqliteStore(${JSON.stringify(path)});
      for (let revision = 0; revision < 50;)
        revision = await store.commit('s', revision, { append: [{ id: 'm' + revision, role: 'user', content: [] }] });
      process.send('committed');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', program], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    await once(child, 'message');
    await vi.waitFor(() => expect(logSize(path)).toBe(0), soon);
    child.kill('SIGKILL');
    await once(child, 'exit');
    rmSync(`${path}-wal`);
    rmSync(`${path}-shm`);
    const store = openedStore(path);
    expect(await store.load('s')).toMatchObject({ revision: 50 });
    expect((await store.load('s'))?.messages).toHaveLength(50);
  });

  test('keeps no process alive that is to empty it', async () => {
    const store = openedStore(newPath());
    const before = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    await store.commit('s', 0, {});
    expect(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout')).toHaveLength(before);
  });
});
