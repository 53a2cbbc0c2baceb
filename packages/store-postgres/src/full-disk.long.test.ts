import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { SessionChange, SessionRecord } from '@shallot/core/store';
import { describe, expect, onTestFinished, test } from 'vitest';

import { query, startPostgres, type PostgresServer } from '../test/postgres-server.ts';
import { runRecord } from '../test/run-record.ts';
import { postgresStore, type PostgresStore } from './index.ts';

/** A server whose data is on a small file system of its own. */
interface SmallServer {
  readonly server: PostgresServer;
  readonly url: string;
  readonly store: PostgresStore;
  /** Leaves no more than that many bytes for the server. */
  leaveRoom(bytes: number): void;
  makeRoom(): void;
}

describe.skipIf(!canMount())('on a small file system of its own', () => {
  test('a full disk is named, what was committed stays, and the same commit goes through once there is room', async () => {
    const { url, store, leaveRoom, makeRoom } = await startSmall();
    let revision = await store.commit('s', 0, step(0));
    leaveRoom(2_000_000);
    let count = 1;
    const fill = async (): Promise<void> => {
      for (; ; count += 1) revision = await store.commit('s', revision, step(count));
    };
    await expect(fill()).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringMatching(
        /has no disk space left: .*Free space on the disk of the server\.$/,
      ) as string,
    });
    expect(count).toBeGreaterThan(2);
    expectSteps(await store.load('s'), revision, count);
    expect(await query(url, 'SELECT count(*)::int AS n FROM shallot.messages')).toEqual([{ n: count }]);
    makeRoom();
    const next = await store.commit('s', revision, step(count));
    await expect(store.commit('s', revision, step(count))).rejects.toMatchObject({
      code: 'STORE_CONFLICT',
    });
    expectSteps(await store.load('s'), next, count + 1);
  });

  test('a server that ends, as its log has no room, loses no commit', async () => {
    const { server, url, store, leaveRoom, makeRoom } = await startSmall();
    const revision = await store.commit('s', 0, step(0));
    leaveRoom(0);
    // The next write begins a file of the log.
    await query(url, 'SELECT pg_switch_wal()').catch(() => undefined);
    // Free space in a table's file is used up first; then the server ends with the log.
    const refused = (): Promise<unknown> =>
      store.commit('s', revision, step(1)).catch((error: unknown) => error);
    await expect.poll(refused, { interval: 1 }).toMatchObject({ code: 'STORE_FAILED', transient: true });
    makeRoom();
    await server.restart();
    expectSteps(await store.load('s'), revision, 1);
    const next = await store.commit('s', revision, step(1));
    expectSteps(await store.load('s'), next, 2);
  });
});

/** A commit of a step: its run, and a message and an entry of the journal that cannot be compressed. */
function step(n: number): SessionChange {
  const text = randomBytes(50_000).toString('base64');
  return {
    run: runRecord(`r${n}`),
    append: [{ id: `m${n}`, role: 'user', content: [{ type: 'text', text }] }],
    journal: { [`k${n}`]: { type: 'once', value: text } },
  };
}

function expectSteps(record: SessionRecord | undefined, revision: number, count: number): void {
  const numbers = Array.from({ length: count }, (_, n) => n);
  expect(record?.revision).toBe(revision);
  expect(record?.run?.id).toBe(`r${count - 1}`);
  expect(record?.messages.map(({ id }) => id)).toEqual(numbers.map((n) => `m${n}`));
  expect(Object.keys(record?.journal ?? {}).toSorted()).toEqual(numbers.map((n) => `k${n}`).toSorted());
}

async function startSmall(): Promise<SmallServer> {
  const mount = mountTmpfs('96m');
  const server = await startPostgres(18, [], join(mount, 'data'));
  onTestFinished(() => server.stop());
  const url = await server.newDatabase();
  const store = postgresStore({ url, retryMs: 0, listen: false });
  onTestFinished(() => store.close());
  const filler = join(mount, 'filler');
  return {
    server,
    url,
    store,
    leaveRoom(bytes) {
      const { bavail, bsize } = statfsSync(mount);
      writeFileSync(filler, Buffer.alloc(bavail * bsize - bytes));
    },
    makeRoom: () => rmSync(filler),
  };
}

function mountTmpfs(size: string): string {
  const mount = mkdtempSync(join(tmpdir(), 'shallot-full-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', mount]);
  chmodSync(mount, 0o755);
  onTestFinished(() => {
    execFileSync('umount', ['-l', mount]);
    rmSync(mount, { recursive: true });
  });
  return mount;
}

/** Returns whether a file system can be mounted here. If not, a line says which tests were left out. */
function canMount(): boolean {
  const probe = mkdtempSync(join(tmpdir(), 'shallot-probe-'));
  const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
  const mounted = isRoot && spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', probe]).status === 0;
  if (mounted) execFileSync('umount', [probe]);
  else process.stderr.write('No file system can be mounted here: what needs a full disk was left out.\n');
  rmSync(probe, { recursive: true });
  return mounted;
}
