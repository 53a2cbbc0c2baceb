import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterAll, expect, test } from 'vitest';

import { message, withoutTimes } from '../../../testing/src/store/store-samples.ts';
import { isShallotError } from '../base/errors.ts';
import { sqliteStore } from './sqlite-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'shallot-trouble-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
function newPath(): string {
  count += 1;
  return join(folder, String(count), 'sessions.db');
}

/** A database with two sessions that nobody has open. */
async function newDatabase(): Promise<string> {
  const path = newPath();
  const store = sqliteStore(path);
  for (const id of ['a', 'b']) {
    await store.commit(id, 0, {
      append: Array.from({ length: 40 }, (_, index) => message(`${id}${index}`, 'text '.repeat(50))),
      state: { p: { k: { version: 1, value: id } } },
      journal: { j: { type: 'once', value: id } },
    });
  }
  await store.close?.();
  return path;
}

test('prints no warning that something is experimental, and keeps other warnings', () => {
  const script = `
    const { sqliteStore } = await import(${JSON.stringify(import.meta.resolve('./index.ts'))});
    await sqliteStore(${JSON.stringify(newPath())}).commit('s', 0, {});
    process.emitWarning('kept');`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  expect(stderr).toContain('Warning: kept');
  expect(stderr).not.toContain('xperimental');
});

test('never gives other data than was committed when a bit is flipped', async () => {
  const path = await newDatabase();
  const store = sqliteStore(path);
  const expected = [withoutTimes(await store.load('a')), withoutTimes(await store.load('b'))];
  await store.close?.();
  const good = readFileSync(path);
  let found = 0;
  for (let at = 0; at < good.length; at += 331) {
    const bytes = Buffer.from(good);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (at % 8)), at);
    writeFileSync(path, bytes);
    const damaged = sqliteStore(path);
    const loaded = await Promise.all([damaged.load('a'), damaged.load('b')]).then(
      (records) => records.map(withoutTimes),
      codeOf,
    );
    expect([expected, 'STORE_DAMAGED']).toContainEqual(loaded);
    if (loaded === 'STORE_DAMAGED') found += 1;
    await damaged.close?.();
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  }
  expect(found).toBeGreaterThan(20);
});

test('a lock of another process is waited for, then named, without holding this one up', async () => {
  const path = await newDatabase();
  const hold = `
    const { DatabaseSync } = require('node:sqlite');
    const db = new DatabaseSync(${JSON.stringify(path)});
    db.exec('BEGIN IMMEDIATE');
    process.send('held');
    process.on('message', () => { db.exec('COMMIT'); db.close(); process.disconnect(); });`;
  const holder = spawn(process.execPath, ['--no-warnings', '--eval', hold], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(holder, 'exit');
  await once(holder, 'message');
  const impatient = sqliteStore(path, { busyTimeoutMs: 200 });
  const patient = sqliteStore(path);
  let ticks = 0;
  const ticking = setInterval(() => (ticks += 1), 5);
  await expect(impatient.commit('a', 1, {})).rejects.toMatchObject({ code: 'STORE_FAILED', transient: true });
  clearInterval(ticking);
  expect(ticks).toBeGreaterThan(1);
  const committed = patient.commit('a', 1, {});
  holder.send('release');
  expect(await committed).toBe(2);
  await Promise.all([exited, impatient.close?.(), patient.close?.()]);
});

// The superuser writes where nobody may.
test.skipIf(process.getuid?.() === 0)('a read-only database is named, and stays', async () => {
  const path = await newDatabase();
  chmodSync(path, 0o400);
  chmodSync(dirname(path), 0o500);
  const store = sqliteStore(path);
  await expect(store.commit('a', 1, {})).rejects.toMatchObject({ code: 'STORE_FAILED' });
  chmodSync(dirname(path), 0o700);
  chmodSync(path, 0o600);
  expect(await sqliteStore(path).load('a')).toMatchObject({ revision: 1 });
});

function codeOf(error: unknown): unknown {
  return isShallotError(error) ? error.code : error;
}
