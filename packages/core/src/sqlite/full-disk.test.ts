import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, test } from 'vitest';

import { idsOf, messages } from '../../../testing/src/store/store-samples.ts';
import { sqliteStore } from './sqlite-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'shallot-full-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Commits until it is refused, then says with what, and which revision is the last. */
const filling = `
  const { sqliteStore } = await import(process.argv[1]);
  const store = sqliteStore(process.argv[2]);
  let revision = 0;
  try {
    for (;;) {
      const message = { id: 'm' + revision, role: 'user', content: [{ type: 'text', text: 'x'.repeat(20_000) }] };
      revision = await store.commit('s', revision, { append: [message] });
    }
  } catch (error) {
    console.log(JSON.stringify({ code: error.code, revision, loaded: (await store.load('s')).revision }));
  }`;

/** Commits to three sessions at once, of which one is larger than the disk, and says what became of each. */
const sharing = `
  const { sqliteStore } = await import(process.argv[1]);
  const store = sqliteStore(process.argv[2]);
  const commit = (id, length) => store.commit(id, 0, {
    append: [{ id, role: 'user', content: [{ type: 'text', text: 'x'.repeat(length) }] }],
  });
  await commit('first', 10);
  const sizes = { small: 1000, large: 3_000_000, other: 1000 };
  const settled = await Promise.allSettled(Object.entries(sizes).map(([id, length]) => commit(id, length)));
  console.log(JSON.stringify(settled.map(({ status, reason }) => reason?.code ?? status)));`;

function runOnSmallDisk(script: string, path: string): unknown {
  const limited = `trap '' XFSZ; ulimit -f 1024; exec "$0" --no-warnings --input-type=module --eval "$1" "$2" "$3"`;
  const program = [process.execPath, script, import.meta.resolve('./sqlite-store.ts'), path];
  return JSON.parse(spawnSync('bash', ['-c', limited, ...program], { encoding: 'utf8' }).stdout);
}

// The limit on the size of files stops a write in its middle, as a full disk does, and needs no rights. The other test of
// a full disk has a small one of its own, and needs the superuser.
test.skipIf(process.platform === 'win32')(
  'a write that finds no room is named, and what was committed stays',
  async () => {
    const path = join(folder, 'sessions.db');
    const said = runOnSmallDisk(filling, path) as {
      readonly code: string;
      readonly revision: number;
      readonly loaded: number;
    };
    expect(said).toEqual({ code: 'STORE_FAILED', revision: said.revision, loaded: said.revision });
    expect(said.revision).toBeGreaterThan(5);

    const store = sqliteStore(path);
    const ids = Array.from({ length: said.revision }, (_, index) => `m${index}`);
    expect(idsOf(await store.load('s'))).toEqual(ids);
    expect(await store.commit('s', said.revision, { append: messages('more') })).toBe(said.revision + 1);
    await store.close?.();
  },
);

test.skipIf(process.platform === 'win32')(
  'a commit that finds no room takes none with it that came at the same time',
  async () => {
    const path = join(folder, 'shared.db');
    expect(runOnSmallDisk(sharing, path)).toEqual(['fulfilled', 'STORE_FAILED', 'fulfilled']);
    const store = sqliteStore(path);
    expect(idsOf(await store.load('small'))).toEqual(['small']);
    expect(await store.load('large')).toBeUndefined();
    expect(idsOf(await store.load('other'))).toEqual(['other']);
    await store.close();
  },
);
