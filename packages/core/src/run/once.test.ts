import { expect, it } from 'vitest';

import { definePlugin } from '../contract/define-plugin.ts';
import type { SessionChange, Store } from '../contract/store.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/memory-store.ts';
import { scriptedModel } from '../testing/scripted-model.ts';

/** A store that keeps a list of what was committed. */
function listing(changes: SessionChange[]): Store {
  const store = memoryStore();
  return {
    load: (id) => store.load(id),
    renew: (id, claim) => store.renew(id, claim),
    requestStop: (id) => store.requestStop(id),
    list: (filter) => store.list(filter),
    delete: (id) => store.delete(id),
    async commit(id, revision, change) {
      changes.push(change);
      return store.commit(id, revision, change);
    },
  };
}

it('what a function of once sets in the state is committed together with its result, whatever else is', async () => {
  const changes: SessionChange[] = [];
  const counting = definePlugin({
    name: 'counting',
    setup({ hooks, state }) {
      const counted = state<number>({ key: 'counted', initial: () => 0 });
      const count = (run: unknown): number => {
        counted.update(run as never, (before) => before + 1);
        return counted.get(run as never);
      };
      hooks.afterModel.tap('count', async (_, run) => void (await run.once('count', () => count(run))));
      hooks.wrapToolCall.tap('count', async (call, next, { run, once }) => {
        await once('count', () => count(run));
        return next(call);
      });
    },
  })();
  const tool = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    execute: () => 'paid',
  });
  const toolCalls = Array.from({ length: 5 }, () => ({ name: 'pay' }));
  await using agent = await createAgent({
    model: scriptedModel([{ toolCalls }, { text: 'Done.' }]),
    tools: [tool],
    plugins: [counting],
    store: listing(changes),
  });
  await agent.run('Go');
  const results = new Set<unknown>();
  let counted: unknown = 0;
  for (const { state, journal = {} } of changes) {
    for (const entry of Object.values(journal)) if (entry?.type === 'once') results.add(entry.value);
    counted = state?.['counting']?.['counted']?.value ?? counted;
    // Whatever has been counted has its result on record.
    expect(results.size).toBe(counted);
  }
  expect(results.size).toBe(7);
});
