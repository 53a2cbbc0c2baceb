import { describe, expect, it } from 'vitest';

import { resultOf } from '../../../../testing/src/plugin-suite.ts';
import { scriptedModel, type ScriptedStep } from '../../../../testing/src/scripted-model.ts';
import { runRecord } from '../../../../testing/src/store/store-samples.ts';
import type { Agent } from '../../agent.ts';
import { randomId } from '../../base/node-crypto.ts';
import type { AgentOptions } from '../../contract/agent-options.ts';
import { definePlugin } from '../../contract/define-plugin.ts';
import type { RunRecord, SessionSummary, Store } from '../../contract/store.ts';
import { createAgent } from '../../create-agent.ts';
import { anonymous, forgetfulStore, isAnonymous } from './forgetful-store.ts';
import { memoryStore } from './memory-store.ts';

function agentWith(steps: readonly ScriptedStep[], options: Partial<AgentOptions> = {}): Promise<Agent> {
  return createAgent({ model: scriptedModel(steps), log: 'silent', ...options });
}

async function sessionsOf(store: Store): Promise<SessionSummary[]> {
  const found: SessionSummary[] = [];
  for await (const summary of store.list()) found.push(summary);
  return found;
}

const asker = definePlugin({
  name: 'asker',
  async beforeModel(_request, run) {
    await run.interrupt({ kind: 'question', payload: 'Milk?', answer: { type: 'string' } });
    return undefined;
  },
});

describe('a run that names no session, on the default store', () => {
  it('leaves nothing once it has completed', async () => {
    const agent = await agentWith([{ text: 'tea' }]);
    const { sessionId } = await agent.run('hello');
    expect(isAnonymous(sessionId)).toBe(true);
    expect(await agent.session(sessionId)).toBeUndefined();
  });

  it.each(['run', 'resume'] as const)('is not begun anew by %s with its id', async (how) => {
    const agent = await agentWith([{ text: 'tea' }, { text: 'again' }]);
    const { sessionId } = await agent.run('hello');
    const next = how === 'run' ? agent.run('and then?', { sessionId }) : agent.resume(sessionId);
    await expect(next).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      message: expect.stringContaining(sessionId) as string,
    });
    await expect(next).rejects.toThrow(/run\(input, \{ sessionId: 'name' \}\)/);
  });

  it('stays while it waits for an answer, and is forgotten after it', async () => {
    const agent = await agentWith([{ text: 'with milk' }], { plugins: [asker()] });
    const { sessionId, interrupts } = await agent.run('tea');
    expect(await agent.session(sessionId)).toMatchObject({ status: 'interrupted', resumable: true });
    const { text } = await agent.resume(sessionId, { [interrupts[0]?.id ?? '']: 'yes' });
    expect(text).toBe('with milk');
    expect(await agent.session(sessionId)).toBeUndefined();
  });

  it('stays after a failure that resume can take up, and is forgotten after a resume', async () => {
    const agent = await agentWith([{ error: new Error('down') }, { text: 'up' }]);
    const { sessionId } = await resultOf(agent.run('hello'));
    expect(await agent.session(sessionId)).toMatchObject({ status: 'failed', resumable: true });
    expect(await agent.resume(sessionId)).toMatchObject({ text: 'up' });
    expect(await agent.session(sessionId)).toBeUndefined();
  });

  it('is forgotten by the store of a fork, too', async () => {
    const agent = await agentWith([]);
    const fork = await agent.fork({ model: scriptedModel([{ text: 'tea' }]) });
    const { sessionId } = await fork.run('hello');
    expect(await agent.session(sessionId)).toBeUndefined();
  });
});

describe('a session that is kept', () => {
  it('is one with a name', async () => {
    const agent = await agentWith([{ text: 'tea' }, { text: 'as I said' }]);
    await agent.run('hello', { sessionId: 'ada' });
    await agent.run('what?', { sessionId: 'ada' });
    expect((await agent.session('ada'))?.messages).toHaveLength(4);
  });

  it('is any in a store that the agent was given', async () => {
    const store = memoryStore();
    const agent = await agentWith([{ text: 'tea' }, { text: 'as I said' }], { store });
    const { sessionId } = await agent.run('hello');
    await agent.run('what?', { sessionId });
    expect((await agent.session(sessionId))?.messages).toHaveLength(4);
  });
});

describe('the default store', () => {
  async function end(store: Store, status: Exclude<RunRecord['status'], 'running'>): Promise<string> {
    const id = randomId(anonymous);
    const revision = await store.commit(id, 0, { run: runRecord('r', 'running') });
    await store.commit(id, revision, { run: runRecord('r', status), claim: null });
    return id;
  }

  it('keeps the last 1,000 that were aborted or failed, and all that wait', async () => {
    const store = forgetfulStore();
    const waiting = await end(store, 'interrupted');
    const first = await end(store, 'aborted');
    const ids: string[] = [];
    for (let index = 0; index < 1000; index += 1)
      ids.push(await end(store, index % 2 ? 'failed' : 'aborted'));
    expect(await store.load(first)).toBeUndefined();
    expect((await sessionsOf(store)).map(({ id }) => id)).toEqual([...ids.toReversed(), waiting]);
  });

  it('does not count one that is at work again, or was deleted', async () => {
    const store = forgetfulStore();
    const [busy, deleted] = [await end(store, 'aborted'), await end(store, 'aborted')];
    const claim = { owner: 'me', host: 'here', pid: 1, expiresAt: 0 };
    await store.commit(busy, (await store.load(busy))?.revision ?? 0, { claim });
    await store.delete(deleted);
    const kept = await end(store, 'failed');
    for (let index = 0; index < 999; index += 1) await end(store, 'failed');
    expect(await store.load(busy)).toBeDefined();
    expect(await store.load(kept)).toBeDefined();
  });
});

describe('agent.deleteSession', () => {
  it('deletes a session, and says whether there was one', async () => {
    const agent = await agentWith([{ text: 'tea' }]);
    await agent.run('hello', { sessionId: 'ada' });
    expect(await agent.deleteSession('ada')).toEqual({ removed: [], left: [], errors: [] });
    expect(await agent.session('ada')).toBeUndefined();
    expect(await agent.deleteSession('ada')).toBeUndefined();
  });

  it('refuses while the agent, or another process, is at work on it', async () => {
    const store = memoryStore();
    const agent = await agentWith([{ text: 'tea' }], { store });
    const running = agent.run('hello', { sessionId: 'ada' });
    await expect(agent.deleteSession('ada')).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    await running;
    const claim = { owner: 'other', host: 'elsewhere', pid: 1, expiresAt: Date.now() + 60_000 };
    await store.commit('ada', (await store.load('ada'))?.revision ?? 0, { claim });
    await expect(agent.deleteSession('ada')).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
  });

  it('keeps runs off the session meanwhile', async () => {
    const agent = await agentWith([{ text: 'tea' }, { text: 'more' }]);
    await agent.run('hello', { sessionId: 'ada' });
    const deleting = agent.deleteSession('ada');
    await expect(agent.run('again', { sessionId: 'ada' })).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    expect(await deleting).toBeDefined();
    expect(await agent.run('again', { sessionId: 'ada' })).toMatchObject({ text: 'more' });
  });
});
