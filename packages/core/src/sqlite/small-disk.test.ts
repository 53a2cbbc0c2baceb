import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, test, vi } from 'vitest';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import { message, messages } from '../../../testing/src/store/store-samples.ts';
import type { SessionRecord } from '../contract/store.ts';
import { createAgent } from '../create-agent.ts';
import { isSafeWal } from './safe-wal.ts';
import { sqliteStore } from './sqlite-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'shallot-small-disk-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
function newPath(): string {
  count += 1;
  return join(folder, String(count), 'sessions.db');
}

/** A database with a session that nobody has open. */
async function newDatabase(): Promise<string> {
  const path = newPath();
  const store = sqliteStore(path);
  await store.commit('a', 0, { append: messages('1') });
  await store.close();
  return path;
}

describe.skipIf(!canMount())('on a small file system of its own', () => {
  test('a full disk is named, what was committed stays, and work goes on once there is room', async () => {
    const mount = mountTmpfs('1m');
    try {
      const path = join(mount, 'sessions.db');
      const store = sqliteStore(path);
      let revision = 0;
      const fill = async (): Promise<void> => {
        for (;;)
          revision = await store.commit('s', revision, {
            append: [message(`m${revision}`, 'x'.repeat(20_000))],
          });
      };
      await expect(fill()).rejects.toMatchObject({ code: 'STORE_FAILED' });
      expect(revision).toBeGreaterThan(5);
      expect(await store.load('s')).toMatchObject({ revision });
      execFileSync('mount', ['-o', 'remount,size=8m', mount]);
      expect(await store.commit('s', revision, { append: messages('more') })).toBe(revision + 1);
      await store.close?.();
      const again = sqliteStore(path);
      expect(await again.load('s')).toMatchObject({ revision: revision + 1 });
      await again.close?.();
    } finally {
      execFileSync('umount', ['-l', mount]);
    }
  });

  test('a read-only disk is named, and the database stays', async () => {
    const mount = mountTmpfs('8m');
    try {
      const path = join(mount, 'sessions.db');
      copyFileSync(await newDatabase(), path);
      execFileSync('mount', ['-o', 'remount,ro', mount]);
      await expect(sqliteStore(path).commit('a', 1, {})).rejects.toMatchObject({ code: 'STORE_FAILED' });
      await expect(sqliteStore(join(mount, 'new.db')).commit('a', 0, {})).rejects.toMatchObject({
        code: 'STORE_FAILED',
      });
      execFileSync('mount', ['-o', 'remount,rw', mount]);
      const store = sqliteStore(path);
      expect(await store.load('a')).toMatchObject({ revision: 1 });
      await store.close?.();
    } finally {
      execFileSync('umount', ['-l', mount]);
    }
  });

  test('a run that the disk had no room for is taken up by the same process as soon as there is', async () => {
    const mount = mountTmpfs('1m');
    try {
      const store = sqliteStore(join(mount, 'sessions.db'));
      const long = 'x'.repeat(60_000);
      const agent = await createAgent({
        store,
        log: 'silent',
        model: scriptedModel(Array.from({ length: 100 }, () => ({ text: long }))),
      });
      let turns = 0;
      const fill = async (): Promise<void> => {
        for (; ; turns += 1) await agent.run('go', { sessionId: 's' });
      };
      await expect(fill()).rejects.toMatchObject({ code: 'STORE_FAILED' });
      execFileSync('mount', ['-o', 'remount,size=8m', mount]);
      const { run } = (await store.load('s')) ?? {};
      // The disk may have been full before the run had begun, or after.
      if (run?.status === 'running') await agent.resume('s');
      else await agent.run('go', { sessionId: 's' });
      expect(answersIn(await store.load('s'))).toBe(turns + 1);
      expect(await agent.run('more', { sessionId: 's' })).toMatchObject({ outcome: 'completed' });
      await agent.close();
      await store.close();
    } finally {
      execFileSync('umount', ['-l', mount]);
    }
  });

  test('a backup that the disk has no room for leaves nothing there', async () => {
    const mount = mountTmpfs('1m');
    try {
      const path = newPath();
      const store = sqliteStore(path);
      await store.commit('s', 0, { append: [message('m', 'x'.repeat(2_000_000))] });
      await expect(store.backup(join(mount, 'copy.db'))).rejects.toMatchObject({ code: 'STORE_FAILED' });
      expect(readdirSync(mount)).toEqual([]);
      await store.close();
    } finally {
      execFileSync('umount', ['-l', mount]);
    }
  });

  // An older SQLite works without a log.
  test.runIf(isSafeWal(process.versions.sqlite ?? ''))(
    'a log that the disk has no room to empty fails nothing, and is emptied once there is',
    async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const mount = mountTmpfs('2m');
      try {
        const store = sqliteStore(join(mount, 'sessions.db'));
        const logSize = (): number => statSync(join(mount, 'sessions.db-wal')).size;
        await store.commit('s', 0, { append: [message('m', 'x'.repeat(500_000))] });
        fillUp(join(mount, 'other'));
        vi.advanceTimersByTime(3000);
        expect(logSize()).toBeGreaterThan(0);
        expect(await store.load('s')).toMatchObject({ revision: 1 });
        rmSync(join(mount, 'other'));
        vi.advanceTimersByTime(1000);
        expect(logSize()).toBe(0);
        expect(await store.load('s')).toMatchObject({ revision: 1 });
        await store.close();
      } finally {
        vi.useRealTimers();
        execFileSync('umount', ['-l', mount]);
      }
    },
  );
});

/** Writes to a file until the disk is full. */
function fillUp(path: string): void {
  try {
    for (;;) appendFileSync(path, 'x'.repeat(4096));
  } catch {
    // It is.
  }
}

function answersIn(record: SessionRecord | undefined): number {
  return record?.messages.filter(({ role }) => role === 'assistant').length ?? 0;
}

function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const mount = join(folder, 'probe');
  mkdirSync(mount);
  if (spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', mount]).status !== 0) return false;
  execFileSync('umount', [mount]);
  return true;
}

function mountTmpfs(size: string): string {
  count += 1;
  const mount = join(folder, String(count));
  mkdirSync(mount);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', mount]);
  return mount;
}
