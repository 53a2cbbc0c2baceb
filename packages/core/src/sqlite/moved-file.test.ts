import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import { idsOf, message, messages } from '../../../testing/src/store/store-samples.ts';
import type { Message } from '../contract/messages.ts';
import { createAgent } from '../create-agent.ts';
import { isSafeWal } from './safe-wal.ts';
import { sqliteStore, type SqliteStore } from './sqlite-store.ts';

const suffixes = ['', '-wal', '-shm'];
/** An older SQLite works without a log. */
const usesLog = isSafeWal(process.versions.sqlite ?? '');

/** A store that is open, with one session. */
async function openedStore(): Promise<{ readonly path: string; readonly store: SqliteStore }> {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-moved-'));
  const path = join(folder, 'sessions.db');
  const store = sqliteStore(path);
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await store.commit('s', 0, { append: messages('a') });
  return { path, store };
}

/** Begins another database at a path. */
async function beginOther(path: string): Promise<void> {
  const store = sqliteStore(path);
  await store.commit('other', 0, {});
  await store.close();
}

/** The sessions that another process finds at a path. */
function listElsewhere(path: string): string {
  const program = `
    const { sqliteStore } = await import(${JSON.stringify(import.meta.resolve('./sqlite-store.ts'))});
    const store = sqliteStore(${JSON.stringify(path)});
    for await (const { id } of store.list()) console.log(id);
    await store.close();`;
  const args = ['--no-warnings', '--input-type=module', '--eval', program];
  return execFileSync(process.execPath, args, { encoding: 'utf8' });
}

function removeAll(path: string): void {
  for (const suffix of suffixes) rmSync(path + suffix, { force: true });
}

/** Accidents that can happen to an open database. */
const accidents: Readonly<Record<string, (path: string) => void | Promise<void>>> = {
  'removed, with all that is beside it': removeAll,
  'removed with its directory': (path) => rmSync(dirname(path), { recursive: true }),
  'moved away': (path) => renameSync(path, `${path}.moved`),
  'begun anew by somebody else': (path) => {
    removeAll(path);
    return beginOther(path);
  },
  'emptied where it stands': (path) => truncateSync(path),
  'replaced by a backup': async (path) => {
    await beginOther(`${path}.backup`);
    renameSync(`${path}.backup`, path);
  },
};

/** Accidents that can happen to the files that SQLite keeps beside it. */
const accidentsBeside: Readonly<Record<string, (path: string) => void | Promise<void>>> = {
  'robbed of its -wal': (path) => rmSync(`${path}-wal`),
  'given another -wal': (path) => {
    rmSync(`${path}-wal`);
    writeFileSync(`${path}-wal`, '');
  },
  'robbed of its -shm': (path) => rmSync(`${path}-shm`),
};

test.each(Object.entries({ ...accidents, ...(usesLog ? accidentsBeside : {}) }))(
  'a database that was %s under an open store takes no more commits, and is not begun anew',
  async (_, befall) => {
    const { path, store } = await openedStore();
    await befall(path);
    const files = suffixes.map((suffix) => existsSync(path + suffix));
    for (const change of [{ append: messages('b') }, { append: messages('c') }]) {
      await expect(store.commit('s', 1, change)).rejects.toMatchObject({
        code: 'STORE_FAILED',
        message: expect.stringMatching(
          /^The session database \S+ is no longer the file that was opened: \S+ was moved, removed, emptied or replaced while it was in use\. Put the file back, or restart\.$/,
        ) as string,
      });
    }
    await expect(store.renew('s', { owner: 'o', host: 'h', pid: 1, expiresAt: 0 })).rejects.toMatchObject({
      code: 'STORE_FAILED',
    });
    expect(suffixes.map((suffix) => existsSync(path + suffix))).toEqual(files);
  },
);

describe.each(Object.entries(accidents))('a database that was %s under an open store', (_, befall) => {
  test('answers no question from the file that is gone', async () => {
    const { path, store } = await openedStore();
    await befall(path);
    const refused = { code: 'STORE_FAILED' };
    await expect(store.load('s')).rejects.toMatchObject(refused);
    await expect(store.list()[Symbol.asyncIterator]().next()).rejects.toMatchObject(refused);
    await expect(store.delete('s')).rejects.toMatchObject(refused);
    await expect(store.backup(`${path}.copy`)).rejects.toMatchObject(refused);
  });

  test('fails the run that commits to it, whose session may be lost', async () => {
    const { path, store } = await openedStore();
    const agent = await createAgent({
      store,
      log: 'silent',
      model: scriptedModel([
        async () => {
          await befall(path);
          return { text: 'done' };
        },
      ]),
    });
    await expect(agent.run('go', { sessionId: 'r' })).rejects.toMatchObject({ code: 'STORE_FAILED' });
  });
});

test('what somebody else began anew is intact after the store that had the old file was closed', async () => {
  const { path, store } = await openedStore();
  await accidents['begun anew by somebody else']?.(path);
  await expect(store.commit('s', 1, {})).rejects.toMatchObject({ code: 'STORE_FAILED' });
  await store.close();
  expect(listElsewhere(path)).toBe('other\n');
});

test.runIf(usesLog)(
  'what was committed to a -wal that was removed is in the file once the store was closed',
  async () => {
    const { path, store } = await openedStore();
    rmSync(`${path}-wal`);
    await expect(store.commit('s', 1, {})).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await store.close();
    expect(listElsewhere(path)).toBe('s\n');
  },
);

test('a file that is replaced in the midst of a commit is noticed before that commit is done', async () => {
  const { path, store } = await openedStore();
  const befalls = { ...message('b'), toJSON: () => (renameSync(path, `${path}.moved`), message('b')) };
  // A message that acts while it is written down is none that the core makes.
  await expect(store.commit('s', 1, { append: [befalls as Message] })).rejects.toMatchObject({
    code: 'STORE_FAILED',
  });
});

test('a file that was put back is worked on as before', async () => {
  const { path, store } = await openedStore();
  renameSync(path, `${path}.moved`);
  await expect(store.commit('s', 1, {})).rejects.toMatchObject({ code: 'STORE_FAILED' });
  renameSync(`${path}.moved`, path);
  expect(await store.commit('s', 1, { append: messages('b') })).toBe(2);
  expect(idsOf(await store.load('s'))).toEqual(['a', 'b']);
});

test('a link to the database may be made to lead elsewhere, and that is noticed', async () => {
  const { path, store } = await openedStore();
  await beginOther(`${path}.other`);
  execFileSync('ln', ['-sf', `${path}.other`, `${path}.link`]);
  const linked = sqliteStore(`${path}.link`);
  expect(await linked.load('other')).toMatchObject({ revision: 1 });
  execFileSync('ln', ['-sfn', path, `${path}.link`]);
  await expect(linked.commit('other', 1, {})).rejects.toMatchObject({ code: 'STORE_FAILED' });
  await linked.close();
  expect(await store.load('s')).toMatchObject({ revision: 1 });
});
