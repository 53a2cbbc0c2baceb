import { setTimeout as sleep } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import { isShallotError } from '../base/errors.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { SessionChange, Store } from '../contract/store.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';

/** A store that keeps a list of what was committed. */
function listing(changes: SessionChange[], store = memoryStore()): Store {
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

it('what once keeps in afterAgent outlasts a resume that is aborted before it comes there', async () => {
  const memory = memoryStore();
  let mails = 0;
  const mailing = definePlugin({
    name: 'mailing',
    async afterAgent(result, run) {
      if (result.outcome === 'completed') await run.once('mail', () => (mails += 1));
    },
  })();
  /** The store of a process that cannot keep the end of a run. */
  const full: Store = {
    ...listing([]),
    load: (id) => memory.load(id),
    async commit(id, revision, change) {
      if (change.claim === null) throw new Error('the disk is full');
      return memory.commit(id, revision, change);
    },
  };
  const options = { plugins: [mailing], log: 'silent' as const };
  await using first = await createAgent({
    ...options,
    store: full,
    model: scriptedModel([{ text: 'Done.' }]),
  });
  await expect(first.run('Go', { sessionId: 's' })).rejects.toMatchObject({ code: 'STORE_FAILED' });
  await using second = await createAgent({ ...options, store: memory, model: scriptedModel([]) });
  const aborted = second.resume('s', {}, { signal: AbortSignal.abort() });
  await expect(aborted).rejects.toMatchObject({ code: 'RUN_ABORTED' });
  expect(await second.resume('s')).toMatchObject({ outcome: 'completed', text: 'Done.' });
  expect(mails).toBe(1);
});

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

it('a tap that the run no longer waits for begins nothing, and a resume does it once', async () => {
  const mails: string[] = [];
  const late = Promise.withResolvers<undefined>();
  const refused: unknown[] = [];
  const stop = new AbortController();
  const mailing = definePlugin({
    name: 'mailing',
    async beforeModel(_, run) {
      if (!run.resumed) {
        stop.abort();
        await late.promise;
      }
      const doing = [
        () => run.once('mail', () => mails.push(run.resumed ? 'resumed' : 'late')),
        () => run.interrupt({ kind: 'q', payload: 1, answer: { type: 'string' } }),
        async () => run.end('late'),
      ];
      for (const act of run.resumed ? doing.slice(0, 1) : doing) {
        await act().catch((error: unknown) => refused.push(isShallotError(error) && error.code));
      }
    },
    async afterAgent(_, run) {
      if (!stop.signal.aborted || run.resumed) return;
      late.resolve(undefined);
      await sleep(5);
    },
  })();
  await using agent = await createAgent({
    log: 'silent',
    model: scriptedModel([{ text: 'Done.' }]),
    plugins: [mailing],
  });
  const run = agent.run('Go', { sessionId: 's', signal: stop.signal });
  await expect(run).rejects.toMatchObject({ code: 'RUN_ABORTED' });
  expect(refused).toEqual(['RUN_ABORTED', 'RUN_ABORTED', 'RUN_ABORTED']);
  expect(mails).toEqual([]);
  expect(await agent.resume('s')).toMatchObject({ outcome: 'completed', text: 'Done.' });
  expect(mails).toEqual(['resumed']);
});

it('an abort while once of afterAgent commits changes nothing', async () => {
  const memory = memoryStore();
  const stop = new AbortController();
  const slow: Store = {
    ...listing([], memory),
    async commit(id, revision, change) {
      if (Object.keys(change.journal ?? {}).some((key) => key.includes('afterAgent'))) stop.abort();
      await sleep(5);
      return memory.commit(id, revision, change);
    },
  };
  const mailing = definePlugin({
    name: 'mailing',
    async afterAgent(result, run) {
      return { ...result, text: await run.once('mail', () => 'sent') };
    },
  })();
  const options = { log: 'silent' as const, model: scriptedModel([{ text: 'Done.' }]), plugins: [mailing] };
  await using agent = await createAgent({ ...options, store: slow });
  const result = await agent.run('Go', { sessionId: 's', signal: stop.signal });
  expect(stop.signal.aborted).toBe(true);
  expect(result).toMatchObject({ outcome: 'completed', text: 'sent', errors: [] });
});
