import { isShallotError } from '@shallot/core';
import { Client } from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';

import { openStore } from '../test/open-store.ts';
import { query, startPostgres } from '../test/postgres-server.ts';
import { newClaimFor, runRecord } from '../test/run-record.ts';
import { startProxy } from '../test/start-proxy.ts';
import { migrations } from './database/migrations.ts';
import type { PostgresStoreOptions } from './index.ts';

const server = await startPostgres(18);
afterAll(() => server.stop());

async function refusal(options: PostgresStoreOptions): Promise<string> {
  try {
    await openStore(options).load('s');
  } catch (error) {
    return isShallotError(error) ? `${error.code}: ${error.message}` : String(error);
  }
  return 'nothing was refused';
}

test.each([
  ['a password that is wrong', 'postgres://ann:s3cr3t-pw@127.0.0.1:1/db', /could not|ECONNREFUSED|refused/],
  ['a host that does not exist', 'postgres://ann:s3cr3t-pw@nowhere.invalid/db', /nowhere\.invalid/],
  ['another protocol', 'mysql://ann:s3cr3t-pw@127.0.0.1/db', /not a URL like postgres:/],
  ['no URL', 's3cr3t-pw', /not a URL like postgres:/],
])('%s is named, without the password', async (_, url, message) => {
  let said = '';
  try {
    said = await refusal({ url });
  } catch (error) {
    said = String(error);
  }
  expect(said).toMatch(message);
  expect(said).not.toContain('s3cr3t-pw');
});

test('a database that does not exist is named', async () => {
  expect(await refusal({ url: server.url.replace(/postgres$/, 'nothing') })).toMatch(
    /STORE_FAILED.*127\.0\.0\.1:\d+\/nothing has no such database/,
  );
});

test('a user without rights is told which is missing', async () => {
  const url = await server.newDatabase();
  await query(url, `CREATE USER guest${process.pid}`);
  const said = await refusal({ url: url.replace('postgres@', `guest${process.pid}@`) });
  expect(said).toMatch(/permission denied for database .* Grant the right/);
});

test('a read-only database is named', async () => {
  const url = await server.newDatabase();
  await query(url, `ALTER DATABASE ${url.split('/').at(-1)} SET default_transaction_read_only = on`);
  expect(await refusal({ url })).toMatch(/is read-only.*Connect to the primary/);
});

test('a database of another encoding is refused', async () => {
  const url = await server.newDatabase("ENCODING 'LATIN1' TEMPLATE template0");
  expect(await refusal({ url })).toMatch(/encoding LATIN1.*ENCODING 'UTF8'/);
});

test('tables that this version cannot use are left as they are', async () => {
  const url = await server.newDatabase();
  await openStore({ url }).load('s');
  const next = migrations.length + 1;
  await query(url, `INSERT INTO shallot.versions (version, oldest) VALUES (${next}, ${next})`);
  expect(await refusal({ url })).toContain(`STORE_FORMAT: The tables have version ${next}`);
  await query(url, `UPDATE shallot.versions SET oldest = 1 WHERE version = ${next}`);
  expect(await openStore({ url }).load('s')).toBeUndefined();
});

test('tables are not made when nothing may be changed, and by one of many that begin at once', async () => {
  const url = await server.newDatabase();
  expect(await refusal({ url, migrate: false })).toMatch(/version 0.*shallot store migrate/);
  const stores = Array.from({ length: 5 }, () => openStore({ url }));
  await Promise.all(stores.map((store) => store.load('s')));
  expect(await query(url, 'SELECT count(*)::int AS n FROM shallot.versions')).toEqual([
    { n: migrations.length },
  ]);
});

test('tables that go away under a program are not made anew, and found when they are back', async () => {
  const url = await server.newDatabase();
  const store = openStore({ url });
  await store.commit('s', 0, { run: runRecord('r') });
  await query(url, 'ALTER SCHEMA shallot RENAME TO away');
  for (const work of [() => store.load('s'), () => store.commit('s', 0, { run: runRecord('r') })])
    await expect(work()).rejects.toMatchObject({ code: 'STORE_FAILED' });
  expect(await query(url, "SELECT to_regnamespace('shallot')::text AS name")).toEqual([{ name: null }]);
  await query(url, 'ALTER SCHEMA away RENAME TO shallot');
  expect((await store.load('s'))?.run?.id).toBe('r');
});

test('half a migration leaves nothing', async () => {
  const url = await server.newDatabase();
  await query(url, 'CREATE SCHEMA shallot; CREATE TABLE shallot.live (x int)');
  expect(await refusal({ url })).toMatch(/"live" already exists/);
  expect(await query(url, "SELECT to_regclass('shallot.sessions')::text AS t")).toEqual([{ t: null }]);
  await query(url, 'DROP TABLE shallot.live');
  expect(await openStore({ url }).load('s')).toBeUndefined();
});

test('a commit whose answer was lost is found, and not applied twice', async () => {
  const url = await server.newDatabase();
  const { url: throughProxy, cutAnswers } = await startProxy(url);
  const store = openStore({ url: throughProxy, retryMs: 5000, poolSize: 1, listen: false });
  const revision = await store.commit('s', 0, { run: runRecord('r') });
  cutAnswers();
  const next = await store.commit('s', revision, { journal: { k: { type: 'once', value: 1 } } });
  expect(next).toBeGreaterThan(revision);
  const record = await store.load('s');
  expect(record?.revision).toBe(next);
  expect(Object.keys(record?.journal ?? {})).toEqual(['k']);
});

test.each(['session', 'session that has a child'])(
  'a %s is not deleted at the revision before one that is just being committed',
  async (what) => {
    const url = await server.newDatabase();
    const store = openStore({ url });
    const revision = await store.commit('s', 0, { run: runRecord('r') });
    if (what !== 'session') await store.commit('child', 0, { about: { parent: 's', root: 's' } });
    const other = new Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    // A commit of another process that the deletion comes upon before it is through.
    await other.query(`BEGIN; UPDATE shallot.sessions SET revision = revision + 1 WHERE session = 's'`);
    const deleted = store.delete('s', { ifRevision: revision });
    deleted.catch(() => undefined);
    const waiting = 'SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted';
    await expect.poll(() => query(url, waiting), { interval: 10 }).toEqual([{ n: 1 }]);
    await other.query('COMMIT');
    await expect(deleted).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
    const left = await query(url, 'SELECT count(*)::int AS n FROM shallot.sessions');
    expect(left).toEqual([{ n: what === 'session' ? 1 : 2 }]);
  },
);

test('of a machine whose clock is off only what is left of a lease counts', async () => {
  const url = await server.newDatabase();
  const store = openStore({ url });
  const claim = newClaimFor('elsewhere', 60_000);
  await store.commit('s', 0, { run: runRecord('r'), claim });
  // An hour later by this machine, as the database tells it what is left.
  const held = (await store.load('s'))?.claim;
  expect(Math.abs((held?.expiresAt ?? 0) - claim.expiresAt)).toBeLessThan(10_000);
  await query(url, "UPDATE shallot.sessions SET claim_expires = clock_timestamp() - interval '1 second'");
  const found: string[] = [];
  for await (const { id } of store.list({ resumable: true })) found.push(id);
  expect(found).toEqual(['s']);
});
