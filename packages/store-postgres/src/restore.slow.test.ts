import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, onTestFinished, test } from 'vitest';

import { openStore } from '../test/open-store.ts';
import { query, startPostgres } from '../test/postgres-server.ts';
import { runRecord } from '../test/run-record.ts';
import { postgresFiles } from './files/index.ts';
import { postgresStore } from './index.ts';

const server = await startPostgres(15);
afterAll(() => server.stop());

const message = (id: string) => ({ id, role: 'user', content: [] }) as const;

/** Takes a whole database back to a copy of it, whoever is connected, as a return to an earlier point in time does. */
async function goBack(url: string, copy: string): Promise<void> {
  const [own, other] = [url, copy].map((each) => each.split('/').at(-1));
  await query(server.url, `DROP DATABASE ${own} WITH (FORCE)`);
  await query(server.url, `CREATE DATABASE ${own} TEMPLATE ${other}`);
}

async function copyOf(url: string): Promise<string> {
  const own = url.split('/').at(-1);
  await query(server.url, `CREATE DATABASE ${own}_copy TEMPLATE ${own}`);
  return `${url}_copy`;
}

test('a process that knows a later revision than the database went back to overwrites nothing', async () => {
  const url = await server.newDatabase();
  const before = postgresStore({ url });
  const first = await before.commit('s', 0, { append: [message('first')], run: runRecord('r') });
  await before.close();
  const copy = await copyOf(url);
  const living = openStore({ url, retryMs: 15_000 });
  const later = await living.commit('s', first, { append: [message('lost')] });
  await goBack(url, copy);
  // As the guide says: so that no revision is given a second time.
  await query(
    url,
    `SELECT setval('shallot.revisions', (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`,
  );
  const other = openStore({ url });
  let revision = first;
  for (let n = 0; n < 5; n += 1) {
    revision = await other.commit('s', revision, { append: [message(`new${n}`)] });
    await expect(living.commit('s', later, { append: [message('stale')] })).rejects.toMatchObject({
      code: 'STORE_CONFLICT',
    });
  }
  expect((await living.load('s'))?.messages.map(({ id }) => id)).toEqual([
    'first',
    ...Array.from({ length: 5 }, (_, n) => `new${n}`),
  ]);
});

const programs = ['pg_dump', 'pg_restore'];
const hasPrograms = programs.every((program) =>
  / 1[5-9]\./.test(spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout ?? ''),
);
if (!hasPrograms) process.stderr.write('pg_dump is not installed: what needs it was left out.\n');

test.runIf(hasPrograms)('a dump of the schema is taken from a store in use, and restored whole', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-dump-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'agents.dump');
  const [url, target] = [await server.newDatabase(), await server.newDatabase()];
  const [store, files] = [openStore({ url }), postgresFiles({ url })];
  onTestFinished(() => files.close());
  await files.write('/a', 'text');
  const run = runRecord('r');
  const journal = { k: { type: 'once', value: 1 } } as const;
  await store.commit('s', 0, { append: [message('m')], run, journal, about: { owner: 'ann' } });
  for (const args of [
    ['pg_dump', '--format=custom', '--schema=shallot', `--file=${file}`, url],
    ['pg_restore', `--dbname=${target}`, file],
  ]) {
    const [program = '', ...rest] = args;
    expect(spawnSync(program, rest, { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  }
  const [restored, restoredFiles] = [
    openStore({ url: target, migrate: false }),
    postgresFiles({ url: target }),
  ];
  onTestFinished(() => restoredFiles.close());
  const record = await restored.load('s');
  expect(record).toEqual(await store.load('s'));
  expect((await restoredFiles.readText('/a')).text).toBe('text');
  const next = await restored.commit('s', record?.revision ?? 0, { append: [message('next')] });
  expect(next).toBeGreaterThan(record?.revision ?? 0);
});
