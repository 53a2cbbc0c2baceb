import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { scriptedModel } from '../../../testing/src/index.ts';
import type { Agent } from '../agent.ts';
import type { AgentOptions } from '../contract/agent-options.ts';
import type { SessionSummary, Store } from '../contract/store.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { sqliteStore } from '../sqlite/sqlite-store.ts';
import { answerInterrupts } from './answer-interrupts.ts';
import { followRun } from './follow-run.ts';
import { resubmitRun } from './resubmit-run.ts';
import { setModelName, setTitle } from './set-title.ts';
import { stopRun } from './stop-run.ts';
import { submitRun } from './submit-run.ts';
import type { WorkOptions } from './work-options.ts';

function fileStore(): Store {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-agents-'));
  const store = sqliteStore(join(folder, 'sessions.db'));
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return store;
}

async function newAgent(options: Partial<AgentOptions>, name?: string): Promise<Agent> {
  const agent = await createAgent({
    model: scriptedModel(Array.from({ length: 20 }, () => ({ text: `by ${name ?? 'nobody'}` }))),
    ...(name === undefined ? {} : { name }),
    ...options,
  });
  onTestFinished(() => agent.close());
  return agent;
}

function work(agent: Agent, options: WorkOptions = {}): () => Promise<void> {
  const stopping = new AbortController();
  const working = agent.work({ intervalMs: 10, ...options, signal: stopping.signal });
  const stop = async (): Promise<void> => {
    stopping.abort();
    await working;
  };
  onTestFinished(stop);
  return stop;
}

async function answerOf(store: Store, sessionId: string): Promise<string> {
  for await (const event of followRun(store, sessionId, { intervalMs: 10 })) {
    if (event.type === 'message' && event.message.role === 'assistant')
      return event.message.content.map((part) => ('text' in part ? part.text : '')).join('');
  }
  return '';
}

describe.each([
  ['in memory', memoryStore],
  ['in SQLite', fileStore],
])('two agents over one store %s', (_, newStore) => {
  test('execute their own runs only', async () => {
    const store = newStore();
    const [billing, support] = [
      await newAgent({ store }, 'billing'),
      await newAgent({ store, id: 'sup' }, 'support'),
    ];
    for (let n = 0; n < 6; n += 1) {
      await submitRun(store, `b${n}`, 'Hello', { agent: 'billing' });
      await submitRun(store, `s${n}`, 'Hello', { agent: 'sup' });
    }
    work(billing);
    work(support);
    for (let n = 0; n < 6; n += 1) {
      expect(await answerOf(store, `b${n}`)).toBe('by billing');
      expect(await answerOf(store, `s${n}`)).toBe('by support');
    }
  });

  test('take what names no agent, and say so once', async () => {
    const store = newStore();
    const lines: string[] = [];
    const logStream = { write: (line: string) => void lines.push(line) };
    const agent = await newAgent({ store, log: 'info', logStream }, 'billing');
    for (const id of ['one', 'two']) {
      await submitRun(store, id, 'Hello', { agent: 'x' });
      const record = await store.load(id);
      if (record?.run === undefined) throw new Error('no run');
      const { agent: _agent, ...run } = record.run;
      await store.commit(id, record.revision, { run });
    }
    work(agent);
    for (const id of ['one', 'two']) expect(await answerOf(store, id)).toBe('by billing');
    expect((await store.load('one'))?.run?.agent).toEqual({ id: 'billing' });
    expect(lines.filter((line) => line.includes('names no agent'))).toHaveLength(1);
  });

  test('say once how many runs wait for whom', async () => {
    const store = newStore();
    const lines: string[] = [];
    const logStream = { write: (line: string) => void lines.push(line) };
    const agent = await newAgent({ store, log: 'info', logStream }, 'billing');
    for (const id of ['one', 'two']) await submitRun(store, id, 'Hello', { agent: 'support' });
    work(agent);
    await vi.waitFor(() => expect(lines.join('')).toContain('support (2)'));
    await submitRun(store, 'own', 'Hello', { agent: 'billing' });
    await answerOf(store, 'own');
    expect(lines.filter((line) => line.includes('WORK_OF_OTHERS'))).toHaveLength(1);
  });
});

test('without a name, nobody works or submits where other processes may have agents', async () => {
  const store = fileStore();
  const agent = await newAgent({ store });
  const refused = { code: 'AGENT_UNNAMED' };
  await expect(agent.work()).rejects.toMatchObject(refused);
  await expect(agent.submit('Hello')).rejects.toMatchObject(refused);
  await expect(submitRun(store, 's', 'Hello')).rejects.toMatchObject(refused);
  // A run in this process needs none.
  expect((await agent.run('Hello', { sessionId: 's' })).outcome).toBe('completed');
  await submitRun(memoryStore(), 's', 'Hello');
});

const asking = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: { type: 'object' },
  execute: (_input, { interrupt }) =>
    interrupt({ kind: 'question', payload: 'Pay?', answer: { type: 'string' } }),
});

async function interrupted(store: Store, agent: Partial<AgentOptions>): Promise<string> {
  const model = scriptedModel([{ toolCalls: [{ name: 'pay', args: {} }] }]);
  const asks = await newAgent({ ...agent, store, model, tools: [asking] });
  const { interrupts } = await asks.run('Pay', { sessionId: 's' });
  return interrupts?.[0]?.id ?? '';
}

test("another agent's run is resumed on purpose only, and then belongs to who resumed it", async () => {
  const store = memoryStore();
  const id = await interrupted(store, { name: 'billing', version: '1' });
  expect((await store.load('s'))?.run?.agent).toEqual({ id: 'billing', version: '1' });
  const other = await newAgent({ store, tools: [asking] }, 'support');
  const unnamed = await newAgent({ store, tools: [asking] });
  for (const agent of [other, unnamed])
    await expect(agent.resume('s', { [id]: 'yes' })).rejects.toMatchObject({ code: 'RUN_OF_ANOTHER_AGENT' });
  expect((await other.resume('s', { [id]: 'yes' }, { takeOver: true })).outcome).toBe('completed');
  expect((await store.load('s'))?.run?.agent).toEqual({ id: 'support' });
});

test('a worker that keeps to its version leaves runs that another one began', async () => {
  const store = memoryStore();
  const id = await interrupted(store, { name: 'billing', version: '1' });
  await answerInterrupts(store, 's', { [id]: 'yes' });
  const next = await newAgent({ store, version: '2', tools: [asking] }, 'billing');
  const stop = work(next, { versions: 'same' });
  await submitRun(store, 'new', 'Hello', { agent: 'billing' });
  expect(await answerOf(store, 'new')).toBe('by billing');
  expect((await store.load('s'))?.run?.status).toBe('interrupted');
  expect((await store.load('new'))?.run?.agent).toEqual({ id: 'billing', version: '2' });
  await stop();
  work(next);
  await vi.waitFor(async () => expect((await store.load('s'))?.run?.status).toBe('completed'));
});

test('a worker takes only runs of the sessions that it is given', async () => {
  const store = memoryStore();
  const agent = await newAgent({ store }, 'billing');
  for (const owner of ['ann', 'bob']) await submitRun(store, owner, 'Hello', { agent: 'billing', owner });
  const stop = work(agent, { filter: { owner: 'bob' } });
  expect(await answerOf(store, 'bob')).toBe('by billing');
  await stop();
  expect((await store.load('ann'))?.run).toMatchObject({ status: 'running', submitted: { isNew: true } });
});

test('a title is set while a run is at work, and nobody else is disturbed', async () => {
  const store = memoryStore();
  const model = scriptedModel([{ toolCalls: [{ name: 'name', args: {} }] }, { text: 'Done.' }]);
  const naming = defineTool({
    name: 'name',
    description: 'Names the session.',
    input: { type: 'object' },
    execute: async () => {
      await setTitle(store, 's', 'Accounts of May');
      return 'named';
    },
  });
  const agent = await newAgent({ store, model, tools: [naming] }, 'billing');
  expect((await agent.run('Hello', { sessionId: 's', title: 'First' })).outcome).toBe('completed');
  expect((await store.load('s'))?.about).toEqual({ title: 'Accounts of May' });
  await expect(setTitle(store, 'gone', 'title')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  await expect(setTitle(store, 's', 'a\nb')).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  const { setTitle: _, ...without } = store;
  await setTitle(without, 's', 'Accounts of May');
});

test('the model that a person chooses is noted with the session, unless a run is at work', async () => {
  const store = memoryStore();
  await expect(setModelName(store, 's', 'a/b')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  const model = scriptedModel([
    async () => {
      await expect(setModelName(store, 's', 'a/b')).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
      return { text: 'Hello.' };
    },
    { text: 'Again.' },
  ]);
  const agent = await newAgent({ store, model }, 'billing');
  await agent.run('Hello', { sessionId: 's', title: 'First', owner: 'ann' });
  await setModelName(store, 's', 'a/b', { owner: 'ann' });
  expect((await store.load('s'))?.about).toEqual({ title: 'First', owner: 'ann', modelName: 'a/b' });
  for (const [name, owner, code] of [
    ['a\nb', 'ann', 'OPTION_INVALID'],
    ['a/c', 'bob', 'SESSION_OF_ANOTHER'],
  ] as const)
    await expect(setModelName(store, 's', name, { owner })).rejects.toMatchObject({ code });
  expect((await agent.run('And?', { sessionId: 's', owner: 'ann' })).text).toBe('Again.');
});

test('a running session is not stopped for somebody else', async () => {
  const store = memoryStore();
  const started = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const waiting = defineTool({
    name: 'wait',
    description: 'Waits.',
    input: { type: 'object' },
    execute: async () => {
      started.resolve();
      await release.promise;
      return 'waited';
    },
  });
  const model = scriptedModel([{ toolCalls: [{ name: 'wait', args: {} }] }, { text: 'Done.' }]);
  const agent = await newAgent({ store, model, tools: [waiting] }, 'billing');
  const running = agent.run('Hello', { sessionId: 's', owner: 'ann' });
  await started.promise;
  await expect(agent.stop('s', { owner: 'bob' })).rejects.toMatchObject({ code: 'SESSION_OF_ANOTHER' });
  release.resolve();
  expect((await running).outcome).toBe('completed');
});

test('a session keeps the directory and the parent that it began with', async () => {
  const store = memoryStore();
  const agent = await newAgent({ store }, 'billing');
  await agent.run('Hello', { sessionId: 's', cwd: '/work', parent: 'root' });
  await agent.run('Hello', { sessionId: 's', cwd: '/home', parent: 'other', title: 'Greeting' });
  await submitRun(store, 't', 'Hello', { agent: 'billing', cwd: '/work', parent: 'root' });
  const children: Pick<SessionSummary, 'id' | 'about'>[] = [];
  for await (const { id, about } of store.list({ parent: 'root' })) children.push({ id, about: about ?? {} });
  expect(children.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual([
    { id: 's', about: { cwd: '/work', parent: 'root', title: 'Greeting' } },
    { id: 't', about: { cwd: '/work', parent: 'root' } },
  ]);
  for (const notes of [
    { cwd: 'a\nb' },
    { parent: 'x'.repeat(201) },
    // Each of them fits, and all of them together do not.
    { owner: '語'.repeat(100), title: '語'.repeat(100), cwd: '語'.repeat(200) },
  ])
    await expect(agent.run('Hello', { sessionId: 'u', ...notes })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
  expect(await store.load('u')).toBeUndefined();
});

describe('a session with an owner', () => {
  const refused = { code: 'SESSION_OF_ANOTHER' };

  test("keeps to it in whatever is done in an owner's name", async () => {
    const store = memoryStore();
    const agent = await newAgent({ store }, 'billing');
    await agent.run('Hello', { sessionId: 's', owner: 'ann', title: 'Greeting' });
    await agent.run('Hello', { sessionId: 'nobody' });
    expect((await store.load('s'))?.about).toEqual({ owner: 'ann', title: 'Greeting' });
    for (const id of ['s', 'nobody']) {
      const owner = 'bob';
      await expect(agent.run('Hello', { sessionId: id, owner })).rejects.toMatchObject(refused);
      await expect(agent.resume(id, {}, { owner })).rejects.toBeDefined();
      await expect(submitRun(store, id, 'Hello', { agent: 'billing', owner })).rejects.toMatchObject(refused);
      await expect(followRun(store, id, { owner }).next()).rejects.toMatchObject(refused);
      await expect(answerInterrupts(store, id, {}, { owner })).rejects.toMatchObject(refused);
      await expect(resubmitRun(store, id, { owner })).rejects.toMatchObject(refused);
      await expect(agent.deleteSession(id, { owner })).rejects.toMatchObject(refused);
      await expect(stopRun(store, id, { owner })).rejects.toMatchObject(refused);
      await expect(agent.stop(id, { owner })).rejects.toMatchObject(refused);
    }
    await agent.run('Hello', { sessionId: 's', owner: 'ann', title: 'Another' });
    await agent.run('Hello', { sessionId: 's' });
    expect((await store.load('s'))?.about).toEqual({ owner: 'ann', title: 'Greeting' });
    expect(await agent.deleteSession('s', { owner: 'ann' })).toBeDefined();
  });

  test.each(['', 'a\nb', 'nul\0', 'half \ud800', 'x'.repeat(101), 'x'.repeat(10_000)])(
    'and a title take no %j',
    async (text) => {
      const store = memoryStore();
      const agent = await newAgent({ store }, 'billing');
      const invalid = { code: 'OPTION_INVALID' };
      await expect(agent.run('Hello', { sessionId: 's', owner: text })).rejects.toMatchObject(invalid);
      await expect(agent.run('Hello', { sessionId: 's', title: text })).rejects.toMatchObject(invalid);
      await expect(submitRun(store, 's', 'Hello', { owner: text })).rejects.toMatchObject(invalid);
      expect(await store.load('s')).toBeUndefined();
    },
  );
});
