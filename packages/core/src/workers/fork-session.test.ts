import { expect, test } from 'vitest';

import { scriptedModel } from '../../../testing/src/index.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import { textPart, type Message } from '../contract/messages.ts';
import type { Store } from '../contract/store.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import type { Files } from '../files/files.ts';
import { memoryFiles } from '../files/memory-files.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { forkSession } from './fork-session.ts';

const count = definePlugin({
  name: 'count',
  version: '1.0.0',
  api: '^1.0.0',
  setup({ hooks, state }) {
    const runs = state({ key: 'runs', version: 1, initial: () => 0 });
    hooks.beforeAgent.tap('count', (run) => runs.update(run, (before) => before + 1));
  },
});

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  execute: () => 'nothing',
});

async function ran(script: Parameters<typeof scriptedModel>[0]): Promise<{ store: Store; ids: string[] }> {
  const store = memoryStore();
  const options = { name: 'test', model: scriptedModel(script), store, tools: [look], plugins: [count()] };
  await using agent = await createAgent(options);
  await agent.run('Hi', { sessionId: 'a', owner: 'ann', title: 'T' });
  const ids = ((await store.load('a'))?.messages ?? []).map(({ id }) => id);
  return { store, ids };
}

test('a fork at the end has the messages, the state and the notes, and no run', async () => {
  const { store, ids } = await ran([{ text: 'Hello' }]);
  expect(await forkSession(store, 'a', { as: 'b', owner: 'ann' })).toEqual({
    sessionId: 'b',
    withoutState: [],
  });
  const fork = await store.load('b');
  expect(fork?.messages.map(({ id }) => id)).toEqual(ids);
  expect(fork).toMatchObject({
    about: { owner: 'ann', title: 'T' },
    state: { count: { runs: { version: 1, value: 1 } } },
  });
  expect(fork?.run).toBeUndefined();
});

test('a fork in the middle names the plugins that begin again, and goes on by itself', async () => {
  const { store, ids } = await ran([{ text: 'Hello' }]);
  const { withoutState } = await forkSession(store, 'a', { at: ids[0] ?? '', as: 'b' });
  expect(withoutState).toEqual(['count']);
  const agent = await createAgent({ name: 'test', model: scriptedModel([{ text: 'Other' }]), store });
  const result = await agent.run('Again', { sessionId: 'b' });
  await agent.close();
  expect(result.usage.modelCalls).toBe(1);
  expect((await store.load('b'))?.messages).toHaveLength(3);
  expect((await store.load('a'))?.messages.map(({ id }) => id)).toEqual(ids);
});

test('a fork between a call and its result is refused, with the place before it', async () => {
  const { store, ids } = await ran([{ toolCalls: [{ name: 'look' }] }, { text: 'Done' }]);
  await expect(forkSession(store, 'a', { at: ids[1] ?? '' })).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    message: expect.stringMatching(`call_1 .* or choose ${ids[0]}`) as string,
  });
});

test('a fork of a session whose first message calls has no place before the result', async () => {
  const store = memoryStore();
  const call: Message = {
    id: 'm0',
    role: 'assistant',
    content: [{ type: 'tool-call', id: 'c0', name: 'look', input: {} }],
  };
  await store.commit('a', 0, { append: [call] });
  await expect(forkSession(store, 'a')).rejects.toThrow(
    /the calls c0 have no result up to there\. Wait for them\.$/,
  );
});

test('an unknown message, a taken id and another owner are refused', async () => {
  const { store } = await ran([{ text: 'Hello' }]);
  const code = (expected: string): object => ({ code: expected });
  await expect(forkSession(store, 'b')).rejects.toMatchObject(code('SESSION_NOT_FOUND'));
  await expect(forkSession(store, 'a', { at: 'x' })).rejects.toMatchObject(code('OPTION_INVALID'));
  await expect(forkSession(store, 'a', { as: 'a' })).rejects.toMatchObject(code('STORE_CONFLICT'));
  await expect(forkSession(store, 'a', { owner: 'bob' })).rejects.toMatchObject(code('SESSION_OF_ANOTHER'));
});

test('results that cannot be copied leave no session, and no files', async () => {
  const [files, store] = [memoryFiles(), memoryStore()];
  const large = { ...look, execute: () => ({ content: [textPart('much '.repeat(20_000))] }) };
  const model = scriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'Done' }]);
  await using agent = await createAgent({ model, store, files, tools: [large] });
  await agent.run('Hi', { sessionId: 'a' });
  const full: Files = { ...files, write: () => Promise.reject(new Error('The disk is full.')) };
  await expect(forkSession(store, 'a', { as: 'b', files: full })).rejects.toThrow('The disk is full.');
  expect(await store.load('b')).toBeUndefined();
  await agent.forkSession('a', { as: 'b' });
  await expect(agent.forkSession('a', { as: 'b' })).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
  expect(await files.list('/.shallot/results/b')).toHaveLength(1);
});

test('state says whether a fork has it', async () => {
  const noting = definePlugin({
    name: 'noting',
    setup({ hooks, state }) {
      const kept = state({ key: 'kept', initial: () => 0, onFork: 'keep' });
      const own = state({ key: 'own', initial: () => 0, onFork: 'begin-again' });
      const plain = state({ key: 'plain', initial: () => 0 });
      hooks.beforeAgent.tap('note', (run) => {
        for (const each of [kept, own, plain]) each.set(run, 1);
      });
    },
  });
  const store = memoryStore();
  const options = { name: 'test', model: scriptedModel([{ text: 'Hello' }]), store, plugins: [noting()] };
  await using agent = await createAgent(options);
  await agent.run('Hi', { sessionId: 'a' });
  const [first] = (await store.load('a'))?.messages ?? [];
  const keysOf = async (id: string): Promise<readonly string[]> =>
    Object.keys((await store.load(id))?.state['noting'] ?? {});
  expect((await forkSession(store, 'a', { as: 'whole' })).withoutState).toEqual(['noting']);
  expect((await forkSession(store, 'a', { as: 'part', at: first?.id ?? '' })).withoutState).toEqual([
    'noting',
  ]);
  expect([await keysOf('whole'), await keysOf('part')]).toEqual([['kept', 'plain'], ['kept']]);
  // A fork of the fork is asked the same.
  await forkSession(store, 'whole', { as: 'next', at: first?.id ?? '' });
  expect(await keysOf('next')).toEqual(['kept']);
});

test('a fork has those notes that are not about the other session, and its own files', async () => {
  const store = memoryStore();
  const about = { owner: 'ann', title: 'T', cwd: '/', modelName: 'a/b' };
  await store.commit('a', 0, { about: { ...about, files: ['/x'], parent: 'p' } });
  await store.commit('b', 0, {});
  await forkSession(store, 'a', { as: 'c' });
  expect(await store.load('c')).toMatchObject({ about, state: {}, messages: [] });
  expect((await store.load('c'))?.about).toStrictEqual(about);
  await forkSession(store, 'b', { as: 'd' });
  expect(await store.load('d')).not.toHaveProperty('about');
  const { sessionId } = await forkSession(store, 'b');
  expect(await store.load(sessionId)).toMatchObject({ id: sessionId, revision: 1 });
  await store.commit('child', 0, { about: { parent: 'a', root: 'a' } });
  await expect(forkSession(store, 'child')).rejects.toMatchObject({ code: 'SESSION_IS_CHILD' });
});

test('a fork copies the kept results that its messages name, and asks for no files without any', async () => {
  const [files, store] = [memoryFiles(), memoryStore()];
  const large = { ...look, execute: () => ({ content: [textPart('much '.repeat(20_000))] }) };
  const model = scriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'Done' }]);
  await using agent = await createAgent({ model, store, files, tools: [large] });
  await agent.run('Hi', { sessionId: 'a' });
  const [first] = (await store.load('a'))?.messages ?? [];
  const none = new Proxy(files, {
    get: () => {
      throw new Error('No files are needed.');
    },
  });
  await forkSession(store, 'a', { as: 'b', at: first?.id ?? '', files: none });
  expect(await files.list('/.shallot/results/b')).toEqual([]);
  expect(await store.load('b')).not.toHaveProperty('about');
  await forkSession(store, 'a', { as: 'c', files });
  expect(await files.list('/.shallot/results/c')).toHaveLength(1);
  expect((await store.load('c'))?.about?.files).toEqual(['/.shallot/results/c/']);
});
