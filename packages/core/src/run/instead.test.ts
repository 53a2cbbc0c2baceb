import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { scriptedModel, type ScriptedStep } from '../../../testing/src/index.ts';
import { createAgent, defineTool, memoryStore, textOf, type Tool } from '../index.ts';
import { sqliteStore } from '../sqlite/index.ts';
import type { Store } from '../store.ts';
import { answerInterrupts, pendingInterrupts, sendMessage, sentMessages, unsendMessage } from '../work.ts';

const folder = await mkdtemp(join(tmpdir(), 'shallot-instead-'));
afterAll(() => rm(folder, { recursive: true }));
let files = 0;

/** Opens the same store twice, as two processes do. */
const stores: readonly (readonly [string, () => readonly [Store, Store]])[] = [
  ['memory', () => twice(memoryStore())],
  [
    'SQLite',
    () => {
      const path = join(folder, `${(files += 1)}.db`);
      return [sqliteStore(path), sqliteStore(path)];
    },
  ],
];

function twice(store: Store): readonly [Store, Store] {
  return [store, store];
}

function tool(name: string, execute: Tool['execute']): Tool {
  return defineTool({ name, description: name, input: { type: 'object' }, effect: 'read', execute });
}

const ask = defineTool({
  name: 'ask',
  description: 'Asks.',
  input: { type: 'object' },
  execute: async (_, { interrupt }) =>
    interrupt({ kind: 'question', payload: 'Sure?', answer: { type: 'string' } }),
});

const withdrawn = 'not executed: a new message came';

describe.each(stores)('a message instead, in a %s store', (_name, open) => {
  async function agentOf(store: Store, steps: readonly ScriptedStep[], tools: readonly Tool[]) {
    const model = scriptedModel([...steps, { text: 'Done.' }]);
    return createAgent({ name: 'a', model, tools, store, toolConcurrency: 1, log: 'silent' });
  }

  it('withdraws the calls that have not begun, and lets the others finish', async () => {
    const [store, elsewhere] = open();
    const first = tool('first', async (_, { run }) => {
      await sendMessage(elsewhere, run.sessionId, 'Stop that.', { when: 'instead' });
      // The result of the second call is journalled while this one is at work.
      await expect.poll(async () => Object.keys((await elsewhere.load('s'))?.journal ?? {})).toHaveLength(1);
      return 'finished';
    });
    const agent = await agentOf(
      store,
      [{ toolCalls: [{ name: 'first' }, { name: 'second' }] }],
      [first, tool('second', () => 'executed')],
    );
    const { messages } = await agent.run('Go', { sessionId: 's' });
    expect(messages.slice(2).map(textOf)).toEqual([
      'finished',
      expect.stringContaining(withdrawn),
      'Stop that.',
      'Done.',
    ]);
    await closeAll(store, elsewhere);
  });

  it('withdraws all calls of a turn during which it came', async () => {
    const [store, elsewhere] = open();
    const heard = Promise.withResolvers<void>();
    const turn = async (): Promise<ScriptedStep> => {
      await sendMessage(elsewhere, 's', 'Something else.', { when: 'instead' });
      await heard.promise;
      return { toolCalls: [{ name: 'work' }, { name: 'work' }] };
    };
    const model = scriptedModel([turn, { text: 'Done.' }]);
    const agent = await createAgent({
      model,
      tools: [tool('work', () => 'executed')],
      store: listening(store, heard.resolve),
      log: 'silent',
    });
    const { messages } = await agent.run('Go', { sessionId: 's' });
    expect(messages.slice(2).map(textOf)).toEqual([
      expect.stringContaining(withdrawn),
      expect.stringContaining(withdrawn),
      'Something else.',
      'Done.',
    ]);
    await closeAll(store, elsewhere);
  });

  it('withdraws the question of a call while another call works', async () => {
    const [store, elsewhere] = open();
    const work = tool('work', async () => {
      await expect.poll(async () => (await pendingInterrupts(elsewhere, 's')).length).toBe(1);
      await sendMessage(elsewhere, 's', 'Never mind.', { when: 'instead' });
      await expect.poll(async () => (await pendingInterrupts(elsewhere, 's')).length).toBe(0);
      return 'worked';
    });
    const model = scriptedModel([{ toolCalls: [{ name: 'ask' }, { name: 'work' }] }, { text: 'Done.' }]);
    const agent = await createAgent({ model, tools: [ask, work], store, log: 'silent' });
    const { messages, interrupts } = await agent.run('Go', { sessionId: 's' });
    expect(interrupts).toEqual([]);
    expect(messages.slice(2).map(textOf)).toEqual([
      expect.stringContaining(withdrawn),
      'worked',
      'Never mind.',
      'Done.',
    ]);
    await closeAll(store, elsewhere);
  });

  it('lets a worker go on with a run that waited for an answer', async () => {
    const [store, elsewhere] = open();
    const agent = await agentOf(store, [{ toolCalls: [{ name: 'ask' }] }], [ask]);
    const { interrupts } = await agent.run('Go', { sessionId: 's' });
    await sendMessage(elsewhere, 's', 'Never mind.', { when: 'instead' });
    expect(await pendingInterrupts(elsewhere, 's')).toEqual([]);
    await expect(
      answerInterrupts(elsewhere, 's', { [interrupts[0]?.id ?? '']: 'yes' }),
    ).rejects.toMatchObject({
      code: 'INTERRUPT_UNKNOWN',
    });
    const stop = new AbortController();
    const working = agent.work({ signal: stop.signal, intervalMs: 20 });
    await expect
      .poll(async () => (await elsewhere.load('s'))?.run?.status, { timeout: 10_000 })
      .toBe('completed');
    stop.abort();
    await working;
    expect((await elsewhere.load('s'))?.messages.slice(2).map(textOf)).toEqual([
      expect.stringContaining(withdrawn),
      'Never mind.',
      'Done.',
    ]);
    expect(await sentMessages(elsewhere, 's')).toEqual([]);
    await closeAll(store, elsewhere);
  });

  it('asks again if it is taken back before the run goes on', async () => {
    const [store, elsewhere] = open();
    const agent = await agentOf(store, [{ toolCalls: [{ name: 'ask' }] }], [ask]);
    const { interrupts } = await agent.run('Go', { sessionId: 's' });
    const id = await sendMessage(elsewhere, 's', 'Never mind.', { when: 'instead' });
    expect(await unsendMessage(elsewhere, 's', id)).toBe(true);
    const resumed = await agent.resume('s');
    expect(resumed.interrupts.map((asked) => asked.id)).toEqual(interrupts.map((asked) => asked.id));
    await closeAll(store, elsewhere);
  });
});

/** A store that calls `heard` after the run has heard that something was sent. */
function listening(store: Store, heard: () => void): Store {
  return {
    ...store,
    watchInbox: (sessionId, listener) =>
      store.watchInbox?.(sessionId, (news) => {
        listener(news);
        heard();
      }) ?? (() => undefined),
  };
}

async function closeAll(...all: readonly Store[]): Promise<void> {
  for (const store of new Set(all)) await store.close?.();
}
