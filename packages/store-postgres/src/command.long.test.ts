import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { followRun, type FollowedEvent } from '@shallot/core/work';
import { afterAll, expect, onTestFinished, test } from 'vitest';

import { startPostgres } from '../test/postgres-server.ts';
import { newClaimFor, runRecord } from '../test/run-record.ts';
import { postgresStore } from './index.ts';

const server = await startPostgres(18);
afterAll(() => server.stop());

const options = '{ url: { $env: DATABASE_URL }, queue: true }';
const connection = '{ url: { $env: DATABASE_URL } }';
const project = {
  'package.json': '{ "type": "module" }',
  'shallot.config.yaml': `
name: test
model: ./model.ts
context: ./context.ts
store: { use: '@shallot/store-postgres', options: ${options} }
files: { use: '@shallot/store-postgres/files', options: ${connection} }
queue: { use: '@shallot/store-postgres/queue', options: ${connection} }
`,
  'context.ts': 'export default (sessionId: string, { user }: { user: string }) => ({ sessionId, user });',
  'model.ts': `
import { scriptedModel } from '@shallot/testing';
export default scriptedModel([{ text: 'Hi' }]);`,
};

function makeProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-postgres-command-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(project)) writeFileSync(join(folder, name), content);
  mkdirSync(join(folder, 'node_modules', '@shallot'), { recursive: true });
  for (const name of ['core', 'store-postgres', 'testing']) {
    const target = fileURLToPath(new URL(`../../${name}`, import.meta.url));
    symlinkSync(target, join(folder, 'node_modules', '@shallot', name), 'dir');
  }
  return folder;
}

const command = fileURLToPath(new URL('../../cli/src/main.ts', import.meta.url));

test('the command migrates, submits, works by the queue alone, and copies', async () => {
  const cwd = makeProject();
  const url = await server.newDatabase();
  const start = (...args: readonly string[]): ChildProcess =>
    spawn(process.execPath, [command, ...args], {
      cwd,
      env: { ...process.env, DATABASE_URL: url },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const outputOf = async (...args: readonly string[]): Promise<string> => {
    const child = start(...args);
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (more: string) => (text += more));
    const ended: unknown = await once(child, 'close');
    expect({ args, ended }).toEqual({ args, ended: [0, null] });
    return text.trim();
  };
  expect(await outputOf('store', 'migrate')).toMatch(/^The tables had version 0, and have \d+ now\.$/);
  const sessionId = await outputOf('run', '--detach', '--stream', '--metadata', '{"user":"ann"}', 'Hello');

  const store = postgresStore({ url });
  onTestFinished(() => store.close());
  expect((await store.load(sessionId))?.run?.submitted).toMatchObject({ stream: true });

  const worker = start('worker', '--quiet', '--interval', '100000');
  onTestFinished(() => void worker.kill('SIGKILL'));
  const events: FollowedEvent[] = [];
  for await (const event of followRun(store, sessionId)) events.push(event);
  expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'completed' });
  worker.kill('SIGTERM');
  expect(await once(worker, 'exit')).toEqual([0, null]);

  // From another machine, as far as claims tell.
  expect(await outputOf('sessions')).toContain(sessionId);
  expect(await outputOf('pending')).not.toContain(sessionId);
  await store.commit('held', 0, { claim: newClaimFor('elsewhere', 60_000), run: runRecord('r') });
  const refused = start('sessions', 'delete', 'held');
  expect(await once(refused, 'exit')).toEqual([1, null]);
  await store.commit('held', (await store.load('held'))?.revision ?? 0, { claim: null });
  await outputOf('sessions', 'delete', 'held');
  expect(await store.load('held')).toBeUndefined();

  expect(await outputOf('store', 'copy', 'shallot.config.yaml', 'copy.db')).toBe(
    'Copied and compared 1 session.',
  );
  expect(await outputOf('store', 'copy', 'copy.db', url)).toBe('Copied and compared 0 sessions.');
});
