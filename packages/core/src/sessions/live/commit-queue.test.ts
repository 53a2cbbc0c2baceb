import { setImmediate as turn } from 'node:timers/promises';

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import { message, runRecord } from '../../../../testing/src/store/store-samples.ts';
import type { Agent } from '../../agent.ts';
import { definePlugin } from '../../contract/define-plugin.ts';
import type { Plugin } from '../../contract/plugin.ts';
import type { RunRecord, SessionChange, SessionRecord, Store } from '../../contract/store.ts';
import { defineTool } from '../../contract/tool.ts';
import { createAgent } from '../../create-agent.ts';
import { fromStored, type ChangeDraft } from '../content/change-draft.ts';
import { memoryStore } from '../stores/memory-store.ts';
import { CommitQueue, storeGraceMs } from './commit-queue.ts';

/** A memory store that writes down what it is given. */
function watchedStore(): { readonly store: Store; readonly changes: SessionChange[] } {
  const inner = memoryStore();
  const changes: SessionChange[] = [];
  const commit: Store['commit'] = (sessionId, revision, change) => {
    changes.push(change);
    return inner.commit(sessionId, revision, change);
  };
  return { store: { ...inner, commit }, changes };
}

const entry = (value: string): SessionChange => ({ journal: { [value]: { type: 'once', value } } });
const live = (value: string): ChangeDraft => fromStored(entry(value));

describe('a change that nobody waits for', () => {
  it('goes out with the next commit', async () => {
    const { store, changes } = watchedStore();
    const queue = new CommitQueue(store, 's', 0);
    queue.soon(live('a'));
    queue.soon(live('b'));
    await queue.commit(live('c'));
    await turn();
    await turn();
    expect(changes).toEqual([
      { journal: { ...entry('a').journal, ...entry('b').journal, ...entry('c').journal } },
    ]);
  });

  it('goes out when a turn has passed without one', async () => {
    const { store, changes } = watchedStore();
    const queue = new CommitQueue(store, 's', 0);
    queue.soon(live('a'));
    await Promise.resolve();
    expect(changes).toEqual([]);
    await turn();
    expect(changes).toEqual([entry('a')]);
    queue.soon(live('b'));
    await turn();
    await queue.behind;
    expect(changes).toEqual([entry('a'), entry('b')]);
  });

  it('takes what is held along, but what is held alone waits', async () => {
    const { store, changes } = watchedStore();
    const queue = new CommitQueue(store, 's', 0);
    queue.hold(live('a'));
    await turn();
    await turn();
    expect(changes).toEqual([]);
    queue.soon(live('b'));
    await turn();
    expect(changes).toEqual([{ journal: { ...entry('a').journal, ...entry('b').journal } }]);
  });

  it('has the record as it is then, unless it brings one', async () => {
    const { store, changes } = watchedStore();
    const queue = new CommitQueue(store, 's', 0);
    const made: string[] = [];
    const record = (id: string) => (): RunRecord => {
      made.push(id);
      return runRecord(id, 'running');
    };
    queue.recordSoon(record('first'));
    queue.recordSoon(record('second'));
    await turn();
    await queue.behind;
    queue.recordSoon(record('third'));
    await queue.commit({ run: runRecord('own', 'running') });
    queue.recordSoon(record('fourth'));
    await queue.commit(live('a'));
    await turn();
    expect(changes.map(({ run }) => run?.id)).toEqual(['second', 'own', 'fourth']);
    expect(made).toEqual(['second', 'fourth']);
    expect(queue.revision).toBe(3);
  });

  it('fails the next commit with the error of a record that cannot be made', async () => {
    const { store, changes } = watchedStore();
    const queue = new CommitQueue(store, 's', 0);
    queue.recordSoon(() => {
      throw new TypeError('no JSON');
    });
    await turn();
    await expect(queue.commit(live('a'))).rejects.toThrow('no JSON');
    expect(changes).toEqual([]);
  });

  it('tells of its failure whoever commits next', async () => {
    const store = { ...memoryStore(), commit: () => Promise.reject(new Error('the disk is full')) };
    const queue = new CommitQueue(store, 's', 0);
    queue.soon(live('a'));
    await turn();
    await turn();
    await expect(queue.commit(live('b'))).rejects.toMatchObject({ code: 'STORE_FAILED' });
  });
});

it('never joins a replacement to what it does not count from', async () => {
  const { store } = watchedStore();
  const queue = new CommitQueue(store, 's', 0);
  await queue.commit({ append: [message('a'), message('b')] });
  queue.hold({ append: [message('c')] });
  queue.hold({ replace: [{ from: 0, to: 3, messages: [message('x')] }] });
  await queue.commit({ replace: [{ from: 1, to: 1, messages: [message('y')] }] });
  expect((await store.load('s'))?.messages.map(({ id }) => id)).toEqual(['x', 'y']);
});

describe('a run', () => {
  const go = defineTool({
    name: 'go',
    description: 'Goes.',
    input: { type: 'object' },
    execute: () => 'gone',
  });

  function agentOn(store: Store, ...plugins: readonly Plugin[]): Promise<Agent> {
    const model = scriptedModel([{ toolCalls: [{ name: 'go', args: {} }] }, { text: 'Done.' }]);
    return createAgent({ model, tools: [go], store, plugins, log: 'silent' });
  }

  function entriesOf(record: SessionRecord | undefined): string[] {
    return Object.values(record?.journal ?? {}).map(({ type }) => type);
  }

  it('commits five times, whether or not its taps are asynchronous', async () => {
    const { store, changes } = watchedStore();
    const busy = definePlugin({
      name: 'busy',
      beforeModel: async () => undefined,
      wrapModelCall: async (request, next) => next(request),
      afterModel: async () => undefined,
      wrapToolCall: async (call, next) => next(call),
    });
    await using agent = await agentOn(store, busy());
    await agent.run('Go', { sessionId: 's' });
    expect(changes).toHaveLength(5);
    expect(changes.map((change) => Object.keys(change.journal ?? {}).length)).toEqual([0, 0, 1, 1, 0]);
  });

  it('has the result of a tool on record a turn later, and the answer of the model, too', async () => {
    const store = memoryStore();
    const seen: unknown[] = [];
    const look = async (): Promise<void> => {
      const record = await store.load('s');
      seen.push([record?.run?.position.at, ...entriesOf(record)]);
    };
    const looking = definePlugin({
      name: 'looking',
      async wrapToolCall(call, next) {
        const result = await next(call);
        await look();
        await turn();
        await look();
        return result;
      },
      async afterModel() {
        await look();
        await turn();
        await look();
      },
    });
    await using agent = await agentOn(store, looking());
    await agent.run('Go', { sessionId: 's' });
    expect(seen).toEqual([
      ['step'],
      ['afterModel'],
      ['tools', 'intent'],
      ['tools', 'raw'],
      ['step'],
      ['afterModel'],
    ]);
  });
});

describe('those who wait for a commit of a run that ends', () => {
  it('are let go when the store takes too long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { store } = watchedStore();
    const queue = new CommitQueue({ ...store, commit: () => new Promise(() => {}) }, 's', 0);
    const waiting = queue.commit(live('a'));
    queue.hurry(new Error('It is over.'));
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(storeGraceMs);
    await expect(waiting).rejects.toThrow('It is over.');
  });

  it('hear of a store that stays silent as of something that may pass', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { store } = watchedStore();
    const queue = new CommitQueue({ ...store, commit: () => new Promise(() => {}) }, 's', 0);
    queue.hurry(new Error('It is over.'));
    const waiting = queue.commit(live('a'));
    vi.advanceTimersByTime(storeGraceMs);
    await expect(waiting).rejects.toMatchObject({ code: 'STORE_FAILED', transient: true });
  });

  it('leave no timer behind when there is none, or when the store has answered', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const queue = new CommitQueue(watchedStore().store, 's', 0);
    queue.hurry(new Error('It is over.'));
    expect(vi.getTimerCount()).toBe(0);
    const waiting = queue.commit(live('a'));
    queue.hurry(new Error('It is over.'));
    await waiting;
    expect(vi.getTimerCount()).toBe(0);
  });
});
