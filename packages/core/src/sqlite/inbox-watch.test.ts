import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, expect, it } from 'vitest';

import { scriptedModel } from '../../../testing/src/index.ts';
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
