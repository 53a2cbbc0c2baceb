import { expect, test } from 'vitest';

import { scriptedModel } from '../../../../testing/src/index.ts';
import { createAgent } from '../../create-agent.ts';
import { memoryStore, defineTool } from '../../index.ts';

test('a run of another agent stops after its step when its claim is renewed', async () => {
  const store = memoryStore();
  const [started, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const wait = defineTool({
    name: 'wait',
    description: 'Waits.',
    effect: 'read',
    input: { type: 'object' },
    async execute() {
      started.resolve();
      await asked.promise;
      return 'done';
    },
  });
  const watched = {
    ...store,
    async renew(...args: Parameters<typeof store.renew>) {
      const renewed = await store.renew(...args);
      if (renewed === 'stop') asked.resolve();
      return renewed;
    },
  };
  const model = scriptedModel([{ toolCalls: [{ name: 'wait', args: {} }] }]);
  await using here = await createAgent({ model, tools: [wait], store: watched, claimMs: 60, log: 'silent' });
  await using elsewhere = await createAgent({ model: scriptedModel([]), store });

  const run = here.run('Go', { sessionId: 's' });
  await started.promise;
  expect(await elsewhere.stop('s')).toBe(true);
  await expect(run).rejects.toMatchObject({ code: 'RUN_ABORTED' });
  expect(await elsewhere.session('s')).toMatchObject({ status: 'aborted', resumable: true });
  expect(await elsewhere.stop('s')).toBe(false);
});
