import { createAgent, deleteSession } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { afterAll, expect, onTestFinished, test } from 'vitest';

import { openStore } from '../test/open-store.ts';
import { query, startPostgres } from '../test/postgres-server.ts';
import { runRecord } from '../test/run-record.ts';
import type { PostgresStore } from './index.ts';

const server = await startPostgres(18);
afterAll(() => server.stop());

/** A store with a session of 600 messages, `s`, and a whole one beside it. */
async function open(): Promise<{ readonly store: PostgresStore; readonly url: string }> {
  const url = await server.newDatabase();
  const store = openStore({ url });
  const append = Array.from({ length: 600 }, (_, n) => ({ id: `m${n}`, role: 'user', content: [] }) as const);
  const journal = { k: { type: 'once', value: 1 } } as const;
  const state = { memory: { notes: { version: 1, value: 'x' } } };
  for (const id of ['s', 'whole']) await store.commit(id, 0, { run: runRecord('r'), append, journal, state });
  return { store, url };
}

/** The sessions of a store, and whether they are listed as damaged. */
async function listed(store: PostgresStore): Promise<Record<string, boolean>> {
  const found: Record<string, boolean> = {};
  for await (const { id, damaged } of store.list()) found[id] = damaged === true;
  return found;
}

const ofS = `session_id = (SELECT id FROM shallot.sessions WHERE session = 's')`;

test.each([
  [
    'a message that is no JSON',
    `UPDATE shallot.messages SET message = 'broken' WHERE ${ofS} AND position = 7`,
  ],
  ['a message on a later page', `UPDATE shallot.messages SET message = '{' WHERE ${ofS} AND position = 555`],
  ['a message that is missing', `DELETE FROM shallot.messages WHERE ${ofS} AND position = 7`],
  ['messages that are missing at the end', `DELETE FROM shallot.messages WHERE ${ofS} AND position > 400`],
  ['all messages missing', `DELETE FROM shallot.messages WHERE ${ofS}`],
  [
    'a message too many',
    `INSERT INTO shallot.messages SELECT session_id, 7.5, message FROM shallot.messages WHERE ${ofS} AND position = 7`,
  ],
  ['a run that is no JSON', `UPDATE shallot.sessions SET run = '{' WHERE session = 's'`],
  ['notes that are no JSON', `UPDATE shallot.sessions SET about = '{' WHERE session = 's'`],
  ['an entry of the journal', `UPDATE shallot.journal SET entry = '{' WHERE ${ofS}`],
  ['an entry of the state', `UPDATE shallot.state SET entry = '{' WHERE ${ofS}`],
  [
    'a claim that is no JSON',
    `UPDATE shallot.sessions SET claim = '{', claim_expires = now() + interval '1 day' WHERE session = 's'`,
  ],
])('%s is damage: told with the session, listed, and hides nothing else', async (_, sql) => {
  const { store, url } = await open();
  await query(url, sql);
  await expect(store.load('s')).rejects.toMatchObject({
    code: 'STORE_DAMAGED',
    message: expect.stringMatching(
      /Session "s" in PostgreSQL at 127\.0\.0\.1.* is damaged: .*backup/,
    ) as string,
  });
  expect(await listed(store)).toEqual({ s: true, whole: false });
  expect((await store.load('whole'))?.messages).toHaveLength(600);
  expect(await deleteSession(store, 's')).toBeDefined();
  expect(await listed(store)).toEqual({ whole: false });
});

test('damage that is found in a part of a session is listed, too', async () => {
  const { store, url } = await open();
  await query(
    url,
    `UPDATE shallot.messages SET message = '{' WHERE ${ofS} AND position = 595;
     UPDATE shallot.journal SET entry = '{' WHERE session_id <> (SELECT id FROM shallot.sessions WHERE session = 's')`,
  );
  await expect(store.messagesFrom?.('s', 'm590')).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  expect(await listed(store)).toEqual({ s: true, whole: false });
  await expect(store.head?.('whole')).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  expect(await listed(store)).toEqual({ s: true, whole: true });
});

test('a session that was repaired is whole again once it has been read', async () => {
  const { store, url } = await open();
  await query(url, `UPDATE shallot.sessions SET run = '{' || run WHERE session = 's'`);
  await expect(store.load('s')).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  await query(url, `UPDATE shallot.sessions SET run = substr(run, 2) WHERE session = 's'`);
  expect((await store.load('s'))?.messages).toHaveLength(600);
  expect(await listed(store)).toEqual({ s: false, whole: false });
});

test('workers leave a damaged session alone, and say so once', async () => {
  const { store, url } = await open();
  await query(url, `UPDATE shallot.messages SET message = 'broken' WHERE ${ofS} AND position = 7`);
  const lines: string[] = [];
  const agent = await createAgent({
    name: 'agent',
    model: scriptedModel([{ text: 'Done.' }]),
    store,
    log: 'warn',
    logStream: { write: (line: string) => void lines.push(line) },
  });
  const stopping = new AbortController();
  const working = agent.work({ intervalMs: 10, signal: stopping.signal });
  onTestFinished(async () => {
    stopping.abort();
    await working;
    await agent.close();
  });
  await expect.poll(async () => (await store.load('whole'))?.run?.status).toBe('completed');
  await expect.poll(() => lines.filter((line) => line.includes('STORE_DAMAGED')).length).toBe(1);
});
