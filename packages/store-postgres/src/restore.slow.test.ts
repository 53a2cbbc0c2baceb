import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { createAgent, defineTool, type Message } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import { submitRun } from '@shallot/core/work';
import { afterAll, expect, onTestFinished, test } from 'vitest';

import { openStore } from '../test/open-store.ts';
import { hasPrograms } from '../test/postgres-programs.ts';
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

const guide = readFileSync(new URL('../../../docs/guides/operate.md', import.meta.url), 'utf8');
const backups = guide.slice(guide.indexOf('## Backups'), guide.indexOf('## Retention'));
/** The commands of the guide that dump, and those that restore. */
const [dumping = '', restoring = ''] = Array.from(
  backups.matchAll(/^```sh\n(.*?)^```/gms),
  ([, text]) => text,
);

/** A folder in which the guide's commands are executed, but for those of Shallot itself. */
function openShell(): (commands: string, url: string) => Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), 'shallot-dump-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  return async (commands, url) => {
    const env = { ...process.env, DATABASE_URL: url };
    await promisify(execFile)('sh', ['-ec', commands.replaceAll(/^npx .*$/gm, '')], { cwd, env });
  };
}

test.runIf(hasPrograms)('a dump of the schema is taken from a store in use, and restored whole', async () => {
  const run = openShell();
  const [url, target] = [await server.newDatabase(), await server.newDatabase()];
  const [store, files] = [openStore({ url }), postgresFiles({ url })];
  onTestFinished(() => files.close());
  await files.write('/a', 'text');
  const journal = { k: { type: 'once', value: 1 } } as const;
  await store.commit('s', 0, {
    append: [message('m')],
    run: runRecord('r'),
    journal,
    about: { owner: 'ann' },
  });
  await run(dumping, url);
  await run(restoring, target);
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

const steps = 4;

/** Its answer depends on the conversation alone, so that any attempt goes on as the last one would have. */
const model: ChatModel = {
  id: 'test/steps',
  async generate({ messages }) {
    const begun = messages.findLastIndex(({ role }) => role === 'user');
    const step = messages.slice(begun).filter(({ role }) => role === 'assistant').length;
    if (step === steps)
      return { message: { role: 'assistant', content: [{ type: 'text', text: 'Done' }] }, finish: 'stop' };
    const call = {
      type: 'tool-call',
      id: `${messages[begun]?.id} ${step}`,
      name: 'look',
      input: {},
    } as const;
    return { message: { role: 'assistant', content: [call] }, finish: 'tool-calls' };
  },
};

async function startWorker(url: string): Promise<void> {
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    effect: 'idempotent',
    input: { type: 'object' },
    execute: () => sleep(20, 'seen'),
  });
  const store = openStore({ url, retryMs: 15_000 });
  const agent = await createAgent({
    name: 'test',
    model,
    tools: [look],
    store,
    claimMs: 2000,
    log: 'silent',
  });
  const stopping = new AbortController();
  const working = agent.work({ intervalMs: 50, retryPauseMs: 20, signal: stopping.signal });
  onTestFinished(async () => {
    stopping.abort();
    await working;
    await agent.close();
  });
}

/** A message of each kind that a run has in turn, as letters. */
function shapeOf(messages: readonly Message[]): string {
  return messages.map(({ role }) => role[0]).join('');
}

const wholeRuns = new RegExp(`^(u(at){${steps}}a)+$`);

test.runIf(hasPrograms)('a dump may be restored under living workers and programs', async () => {
  const run = openShell();
  const url = await server.newDatabase();
  const store = openStore({ url, retryMs: 15_000 });
  await startWorker(url);
  await startWorker(url);
  const submit = (id: string): Promise<string> => submitRun(store, id, 'Look', { agent: 'test' });
  const ids = (name: string): string[] => Array.from({ length: 4 }, (_, index) => `${name} ${index}`);
  const shapes = async (): Promise<Record<string, string>> => {
    const found: Record<string, string> = {};
    for await (const { id, status } of store.list())
      found[id] = `${status} ${shapeOf((await store.load(id))?.messages ?? [])}`;
    return found;
  };
  const settled = (names: readonly string[]) =>
    expect.poll(async () => {
      const found = await shapes();
      return names.filter((id) => !wholeRuns.test(found[id]?.replace(/^completed /, '') ?? ''));
    });

  await Promise.all(ids('known').map(submit));
  await settled(ids('known')).toEqual([]);
  await Promise.all(ids('begun').map(submit));
  await run(dumping, url);
  // The workers remember these at revisions that the dump does not know.
  await settled(ids('begun')).toEqual([]);
  await Promise.all([...ids('known'), ...ids('forgotten')].map(submit));
  await settled([...ids('known'), ...ids('forgotten')]).toEqual([]);
  await Promise.all([...ids('begun'), ...ids('cut off')].map(submit));
  await sleep(100);
  await run(restoring, url);

  for (const id of [...ids('known'), ...ids('new')]) await submit(id);
  const all = [...ids('known'), ...ids('begun'), ...ids('new')];
  await settled(all).toEqual([]);
  const found = await shapes();
  expect(Object.keys(found).toSorted()).toEqual(all.toSorted());
  const runs = all.map((id) => found[id]?.match(/u/g)?.length);
  expect(runs).toEqual(all.map((id) => (id.startsWith('known') ? 2 : 1)));
});
