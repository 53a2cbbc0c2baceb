import { setImmediate as turn } from 'node:timers/promises';

import { describe, expect, it, vi } from 'vitest';

import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import { message, runRecord } from '../../../../testing/src/store/store-samples.ts';
import type { Agent } from '../../agent.ts';
import { newClaim } from '../../base/claim.ts';
import { definePlugin } from '../../contract/define-plugin.ts';
import { textOf, type Message } from '../../contract/messages.ts';
import type { Store } from '../../contract/store.ts';
import { createAgent } from '../../create-agent.ts';
import { answerInterrupts } from '../../workers/answer-interrupts.ts';
import { memoryStore } from '../stores/memory-store.ts';
import { LiveSession } from './live-session.ts';
import { SessionCache } from './session-cache.ts';

/** A store as if it were far away, that counts how often it is read. */
function countedStore(): { readonly store: Store; readonly inner: Store; readonly reads: () => number } {
  const inner = memoryStore();
  const load = vi.fn<Store['load']>(inner.load);
  return { store: { ...inner, load }, inner, reads: () => load.mock.calls.length };
}

function agentOn(store: Store, ...answers: readonly string[]): Promise<Agent> {
  return createAgent({ model: scriptedModel(answers.map((text) => ({ text }))), store, log: 'silent' });
}

async function textsOf(store: Store, sessionId: string): Promise<string[]> {
  return (await store.load(sessionId))?.messages.map((each: Message) => textOf(each)) ?? [];
}

describe('a session that was used lately', () => {
  it('is not read again', async () => {
    const { store, inner, reads } = countedStore();
    await using agent = await agentOn(store, 'one', 'two', 'three');
    for (const input of ['a', 'b', 'c']) await agent.run(input, { sessionId: 's' });
    expect(reads()).toBe(1);
    expect(await textsOf(inner, 's')).toEqual(['a', 'one', 'b', 'two', 'c', 'three']);
  });

  it('is not read by another agent with the same store, nor to be resumed', async () => {
    const { store, reads } = countedStore();
    const failing = await createAgent({
      model: scriptedModel([{ error: new Error('down') }]),
      store,
      log: 'silent',
    });
    await expect(failing.run('a', { sessionId: 's' })).rejects.toThrow('down');
    await using agent = await agentOn(store, 'up');
    expect(await agent.resume('s')).toMatchObject({ text: 'up' });
    expect(reads()).toBe(1);
  });

  it('keeps what plugins keep', async () => {
    const { store, reads } = countedStore();
    const seen: number[] = [];
    const counter = definePlugin({
      name: 'counter',
      setup({ hooks, state }) {
        const runs = state<number>({ key: 'runs', initial: () => 0 });
        hooks.beforeAgent.tap('count', (run) => {
          runs.update(run, (count) => count + 1);
          seen.push(runs.get(run));
        });
      },
    });
    const model = scriptedModel([{ text: '1' }, { text: '2' }, { text: '3' }]);
    await using agent = await createAgent({ model, store, plugins: [counter()], log: 'silent' });
    for (const input of ['a', 'b', 'c']) await agent.run(input, { sessionId: 's' });
    expect(seen).toEqual([1, 2, 3]);
    expect(reads()).toBe(1);
  });

  it('leaves the messages of an earlier run as they were', async () => {
    const { store } = countedStore();
    const views: (readonly Message[])[] = [];
    const keeper = definePlugin({ name: 'keeper', afterAgent: (_, run) => void views.push(run.messages) });
    const model = scriptedModel([{ text: 'one' }, { text: 'two' }]);
    await using agent = await createAgent({ model, store, plugins: [keeper()], log: 'silent' });
    await agent.run('a', { sessionId: 's' });
    await agent.run('b', { sessionId: 's' });
    expect(views.map((messages) => messages.length)).toEqual([2, 4]);
  });
});

describe('a cache of its own', () => {
  it('is not seen by other agents', async () => {
    const { store, inner, reads } = countedStore();
    const model = scriptedModel([{ text: 'one' }, { text: 'two' }]);
    await using agent = await createAgent({ model, store, sessionCacheBytes: 1_000_000, log: 'silent' });
    await agent.run('a', { sessionId: 's' });
    await agent.run('b', { sessionId: 's' });
    expect(reads()).toBe(1);
    await using other = await agentOn(store, 'three');
    await other.run('c', { sessionId: 's' });
    expect(reads()).toBe(2);
    expect(await textsOf(inner, 's')).toEqual(['a', 'one', 'b', 'two', 'c', 'three']);
  });

  it('of no bytes keeps nothing', async () => {
    const { store, reads } = countedStore();
    const model = scriptedModel([{ text: 'one' }, { text: 'two' }]);
    await using agent = await createAgent({ model, store, sessionCacheBytes: 0, log: 'silent' });
    for (const input of ['a', 'b']) await agent.run(input, { sessionId: 's' });
    expect(reads()).toBe(2);
  });
});

describe('a session that another process', () => {
  it('wrote is read once more, and goes on from there', async () => {
    const { store, inner, reads } = countedStore();
    await using agent = await agentOn(store, 'one', 'two');
    await agent.run('a', { sessionId: 's' });
    const { revision = 0 } = (await inner.load('s')) ?? {};
    await inner.commit('s', revision, { append: [message('m', 'from elsewhere')] });
    await agent.run('b', { sessionId: 's' });
    expect(reads()).toBe(2);
    expect(await textsOf(inner, 's')).toEqual(['a', 'one', 'from elsewhere', 'b', 'two']);
  });

  it('deleted begins anew', async () => {
    const { store, inner } = countedStore();
    await using agent = await agentOn(store, 'one', 'two');
    await agent.run('a', { sessionId: 's' });
    await inner.delete('s');
    await agent.run('b', { sessionId: 's' });
    expect(await textsOf(inner, 's')).toEqual(['b', 'two']);
  });

  it('deleted and began anew, with as many commits, is not taken for the old one', async () => {
    const { store, inner } = countedStore();
    await using agent = await agentOn(store, 'one', 'two');
    await agent.run('a', { sessionId: 's' });
    await inner.delete('s');
    await using other = await agentOn(inner, 'other');
    await other.run('b', { sessionId: 's' });
    await agent.run('c', { sessionId: 's' });
    expect(await textsOf(inner, 's')).toEqual(['b', 'other', 'c', 'two']);
  });

  it('is at work on is left to it', async () => {
    const { store, inner } = countedStore();
    await using agent = await agentOn(store, 'one', 'two');
    await agent.run('a', { sessionId: 's' });
    const { revision = 0 } = (await inner.load('s')) ?? {};
    await inner.commit('s', revision, { claim: { ...newClaim('other', 60_000), host: 'elsewhere' } });
    await expect(agent.run('b', { sessionId: 's' })).rejects.toThrow(/worked on by process .* on elsewhere/);
  });

  it('went on with is refused for nothing that is over', async () => {
    const { store, inner } = countedStore();
    const asker = definePlugin({
      name: 'asker',
      async beforeModel(_, run) {
        if (run.newMessages.some((each) => textOf(each) === 'ask'))
          await run.interrupt({ kind: 'question', payload: 'Milk?', answer: { type: 'string' } });
        return undefined;
      },
    });
    const options = { plugins: [asker()], log: 'silent' } as const;
    await using agent = await createAgent({ ...options, store, model: scriptedModel([{ text: 'two' }]) });
    const { interrupts } = await agent.run('ask', { sessionId: 's' });
    const answers = { [interrupts[0]?.id ?? '']: 'yes' };
    await using other = await createAgent({
      ...options,
      store: inner,
      model: scriptedModel([{ text: 'one' }]),
    });
    await answerInterrupts(inner, 's', answers);
    await other.resume('s');
    expect(await agent.run('b', { sessionId: 's' })).toMatchObject({ text: 'two' });
    expect(await textsOf(inner, 's')).toEqual(['ask', 'one', 'b', 'two']);
  });
});

it('a store that fails is not asked again by a run that cannot begin', async () => {
  const { store, inner, reads } = countedStore();
  const failing = { isDown: false };
  const commit: Store['commit'] = async (...change) => {
    if (failing.isDown) throw new Error('the disk is full');
    return inner.commit(...change);
  };
  await using agent = await agentOn({ ...store, commit }, 'one', 'two');
  await agent.run('a', { sessionId: 's' });
  failing.isDown = true;
  await expect(agent.run('b', { sessionId: 's' })).rejects.toMatchObject({ code: 'STORE_FAILED' });
  expect(reads()).toBe(1);
  failing.isDown = false;
  await agent.run('c', { sessionId: 's' });
  expect(await textsOf(inner, 's')).toEqual(['a', 'one', 'c', 'two']);
});

describe('what is kept', () => {
  const text = 'x'.repeat(10_000);

  async function ended(store: Store, id: string, count: number): Promise<LiveSession> {
    const session = new LiveSession(store, id, undefined);
    const append = Array.from({ length: count }, (_, n) => message(`${id}-${n}`, text));
    await session.commit({ append, run: runRecord('r', 'completed') });
    return session;
  }

  it('is bounded in bytes: what was used longest ago goes first', async () => {
    const { store } = countedStore();
    const hot = new SessionCache(350_000);
    for (const id of ['a', 'b', 'c']) hot.keep(store, await ended(store, id, 10));
    expect(hot.bytes).toBeGreaterThan(300_000);
    const first = hot.take(store, 'a');
    hot.keep(store, new LiveSession(store, 'a', first));
    hot.keep(store, await ended(store, 'd', 10));
    expect(hot.bytes).toBeLessThan(350_000);
    expect(hot.take(store, 'b')).toBeUndefined();
    for (const id of ['a', 'c', 'd']) expect(hot.take(store, id)).toMatchObject({ id });
    expect(hot.bytes).toBe(0);
  });

  it('is forgotten when the cache is cleared', async () => {
    const { store } = countedStore();
    const cache = new SessionCache(1_000_000);
    cache.keep(store, await ended(store, 'a', 10));
    cache.clear();
    expect(cache.bytes).toBe(0);
    expect(cache.take(store, 'a')).toBeUndefined();
  });

  it('is no session that is larger than all there is room for, however long it is', async () => {
    const { store } = countedStore();
    const hot = new SessionCache(30_000_000);
    hot.keep(store, await ended(store, 'long', 4000));
    while (hot.bytes > 0) await turn();
    expect(hot.take(store, 'long')).toBeUndefined();
  });

  it('is nothing that a memory store keeps itself, nor what its store has not got', async () => {
    const hot = new SessionCache(1_000_000);
    const inner = memoryStore();
    hot.keep(inner, await ended(inner, 'a', 1));
    const { store } = countedStore();
    const unfinished = await ended(store, 'b', 1);
    unfinished.hold({ append: [message('more')] });
    hot.keep(store, unfinished);
    expect(hot.bytes).toBe(0);
  });
});
