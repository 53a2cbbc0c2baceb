import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, describe, expect, it, onTestFinished } from 'vitest';

import { scriptedModel } from '../../../testing/src/index.ts';
import { message, runRecord } from '../../../testing/src/store/store-samples.ts';
import { createAgent, defineTool } from '../index.ts';
import { stopRun } from '../work.ts';
import { sqliteStore } from './sqlite-store.ts';

const folder = await mkdtemp(join(tmpdir(), 'shallot-stop-'));
afterAll(() => rm(folder, { recursive: true }));

it('a run learns of a stop from elsewhere long before its claim is renewed', async () => {
  const [store, elsewhere] = [sqliteStore(join(folder, 'a.db')), sqliteStore(join(folder, 'a.db'))];
  let steps = 0;
  const step = defineTool({
    name: 'step',
    description: 'Takes a moment.',
    input: { type: 'object' },
    effect: 'read',
    execute: async () => {
      steps += 1;
      if (steps === 2) await stopRun(elsewhere, 's');
      await sleep(10);
      return 'done';
    },
  });
  const agent = await createAgent({
    model: scriptedModel(Array.from({ length: 4000 }, () => ({ toolCalls: [{ name: 'step' }] }))),
    tools: [step],
    store,
    maxSteps: 4000,
    claimMs: 3_600_000,
    log: 'silent',
  });
  await expect(agent.run('Go', { sessionId: 's' })).rejects.toMatchObject({ code: 'RUN_ABORTED' });
  expect((await store.load('s'))?.run).toMatchObject({ status: 'aborted' });
  await Promise.all([store.close(), elsewhere.close()]);
});

describe('the watcher of a run', () => {
  let count = 0;

  /** A store with a run, another connection to it, and what a watcher of the run hears. */
  async function watched() {
    count += 1;
    const path = join(folder, `watched-${count}.db`);
    const [store, elsewhere] = [sqliteStore(path), sqliteStore(path)];
    onTestFinished(async () => void (await Promise.all([store.close(), elsewhere.close()])));
    await store.commit('s', 0, { run: runRecord('r', 'running') });
    const heard: string[] = [];
    const leave = store.watchInbox?.('s', (news) => void heard.push(news));
    const send = (id: string, by = elsewhere): unknown => by.send?.('s', { id, message: message(id) });
    return { store, elsewhere, heard, leave, send };
  }

  const pause = (): Promise<void> => sleep(60);

  it('hears once of each message and of a stop from elsewhere', async () => {
    const { elsewhere, heard, send } = await watched();
    await pause();
    expect(heard).toEqual([]);
    await send('a');
    await expect.poll(() => heard, { interval: 5 }).toEqual(['sent']);
    await elsewhere.commit('t', 0, {});
    await pause();
    expect(heard).toEqual(['sent']);
    await send('b');
    await expect.poll(() => heard, { interval: 5 }).toEqual(['sent', 'sent']);
    await elsewhere.requestStop('s');
    await expect.poll(() => heard, { interval: 5 }).toEqual(['sent', 'sent', 'stop']);
    await elsewhere.commit('t', 1, {});
    await pause();
    expect(heard).toHaveLength(3);
  });

  it('hears of what waits from before, and at once of what this process sends', async () => {
    const { store, heard, send, leave } = await watched();
    await send('a', store);
    expect(heard).toEqual(['sent']);
    await store.requestStop('s');
    expect(heard).toEqual(['sent', 'stop']);
    leave?.();
    const later: string[] = [];
    store.watchInbox?.('s', (news) => void later.push(news));
    await store.send?.('t', { id: 'x', message: message('x') });
    await store.commit('u', 0, {});
    await expect.poll(() => later, { interval: 5 }).toEqual(['sent', 'stop']);
    expect(heard).toHaveLength(2);
  });

  it('hears nothing more once it has left, or the store was closed', async () => {
    const one = await watched();
    one.leave?.();
    await one.send('a');
    await one.send('b', one.store);
    const other = await watched();
    await other.store.close();
    await other.send('a');
    await pause();
    expect([one.heard, other.heard]).toEqual([[], []]);
  });

  it('that took the place of another one stays when that leaves', async () => {
    const { store, heard, leave, send } = await watched();
    const later: string[] = [];
    store.watchInbox?.('s', (news) => void later.push(news));
    leave?.();
    await send('a', store);
    expect([heard, later]).toEqual([[], ['sent']]);
  });
});
