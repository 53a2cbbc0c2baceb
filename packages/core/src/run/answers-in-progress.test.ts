import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { collectEvents, scriptedModel } from '../../../testing/src/index.ts';
import { createAgent, definePlugin, defineTool, memoryStore, textOf, type Tool } from '../index.ts';
import { sqliteStore } from '../sqlite/index.ts';
import type { Store } from '../store.ts';
import { answerInterrupts, pendingInterrupts, sentMessages } from '../work.ts';

const folder = await mkdtemp(join(tmpdir(), 'shallot-answers-'));
afterAll(() => rm(folder, { recursive: true }));
let files = 0;

/** Opens the same store twice, as two processes do. */
const stores: readonly (readonly [string, () => readonly [Store, Store]])[] = [
  [
    'memory',
    () => {
      const store = memoryStore();
      return [store, store];
    },
  ],
  [
    'SQLite',
    () => {
      const path = join(folder, `${(files += 1)}.db`);
      return [sqliteStore(path), sqliteStore(path)];
    },
  ],
];

const asks = { kind: 'question', payload: 'Which?', answer: { type: 'string' } } as const;

function tool(name: string, execute: Tool['execute']): Tool {
  return defineTool({ name, description: name, input: { type: 'object' }, execute });
}

/** A call that asks, and one beside it that works until that one has its answer. */
function pair(answered: PromiseWithResolvers<void>, during: () => Promise<unknown>): readonly Tool[] {
  return [
    tool('ask', async (_, { interrupt, once }) => {
      const asked = await once('asked', () => 'once');
      const answer = await interrupt(asks);
      answered.resolve();
      return `${asked} ${JSON.stringify(answer)}`;
    }),
    tool('work', async () => {
      await during();
      await answered.promise;
      return 'worked';
    }),
  ];
}

async function openId(store: Store): Promise<string> {
  await expect.poll(async () => (await pendingInterrupts(store, 's')).length).toBe(1);
  return (await pendingInterrupts(store, 's'))[0]?.id ?? '';
}

const both = { toolCalls: [{ name: 'ask' }, { name: 'work' }] };

describe.each(stores)('an answer to a run that is at work, in a %s store', (_name, open) => {
  it('reaches the call that asked while the calls beside it work', async () => {
    const [store, elsewhere] = open();
    const tools = pair(Promise.withResolvers(), async () =>
      answerInterrupts(elsewhere, 's', { [await openId(elsewhere)]: 'the red one' }, { by: 'ann' }),
    );
    const model = scriptedModel([both, { text: 'Done.' }]);
    const agent = await createAgent({ model, tools, store, log: 'silent' });
    const { events, result } = await collectEvents(agent.stream('Go', { sessionId: 's' }));
    expect(result).toMatchObject({ outcome: 'completed', interrupts: [], errors: [] });
    expect(result?.messages.slice(2).map(textOf)).toEqual(['once "the red one"', 'worked', 'Done.']);
    expect(result?.messages[2]?.metadata).toMatchObject({
      core: { answers: [{ kind: 'question', by: 'ann', answer: 'the red one' }] },
    });
    const starts = events.filter((event) => event.type === 'tool-start');
    expect(starts.map(({ name, resumed }) => [name, resumed])).toEqual([
      ['ask', undefined],
      ['work', undefined],
      ['ask', true],
    ]);
    expect((await elsewhere.load('s'))?.messages).toEqual(result?.messages);
    expect(await elsewhere.inbox?.('s')).toEqual([]);
    await closeAll(store, elsewhere);
  });

  it('is the approval of a call, which is executed once', async () => {
    const [store, elsewhere] = open();
    const executed = Promise.withResolvers<void>();
    let count = 0;
    const gate = definePlugin({
      name: 'gate',
      setup({ hooks }) {
        hooks.wrapToolCall.tapPromise({ name: 'gate', gate: true }, async (call, next, { interrupt }) => {
          if (call.name === 'pay') await interrupt(asks);
          return next(call);
        });
      },
    })();
    const tools = [
      tool('pay', () => {
        count += 1;
        executed.resolve();
        return 'paid';
      }),
      tool('work', async () => {
        await answerInterrupts(elsewhere, 's', { [await openId(elsewhere)]: 'yes' });
        await executed.promise;
        return 'worked';
      }),
    ];
    const model = scriptedModel([{ toolCalls: [{ name: 'pay' }, { name: 'work' }] }, { text: 'Done.' }]);
    const agent = await createAgent({ model, tools, plugins: [gate], store, log: 'silent' });
    const { messages } = await agent.run('Go', { sessionId: 's' });
    expect(messages.slice(2).map(textOf)).toEqual(['paid', 'worked', 'Done.']);
    expect(count).toBe(1);
    await closeAll(store, elsewhere);
  });

  it('is one of several at once; the others are refused', async () => {
    const [store, elsewhere] = open();
    const given: PromiseSettledResult<void>[] = [];
    const tools = pair(Promise.withResolvers(), async () => {
      const id = await openId(elsewhere);
      const answers = ['red', 'green', 'blue'].map((answer) =>
        answerInterrupts(elsewhere, 's', { [id]: answer }),
      );
      given.push(...(await Promise.allSettled(answers)));
    });
    const model = scriptedModel([both, { text: 'Done.' }]);
    const agent = await createAgent({ model, tools, store, log: 'silent' });
    const { messages } = await agent.run('Go', { sessionId: 's' });
    const taken = given.findIndex(({ status }) => status === 'fulfilled');
    expect(messages.slice(2).map(textOf)[0]).toBe(`once "${['red', 'green', 'blue'][taken]}"`);
    expect(given.filter(({ status }) => status === 'rejected')).toMatchObject([
      { reason: { code: 'INTERRUPT_UNKNOWN' } },
      { reason: { code: 'INTERRUPT_UNKNOWN' } },
    ]);
    await closeAll(store, elsewhere);
  });

  it('passes the taps on the input first', async () => {
    const [store, elsewhere] = open();
    const hide = definePlugin({
      name: 'hide',
      setup({ hooks }) {
        hooks.beforeAgent.tap(
          { name: 'hide', input: true },
          // The tap returns what it was given, changed.
          (messages) =>
            JSON.parse(JSON.stringify(messages).replaceAll('secret', '[hidden]')) as typeof messages,
        );
      },
    })();
    const tools = pair(Promise.withResolvers(), async () =>
      answerInterrupts(elsewhere, 's', { [await openId(elsewhere)]: 'my secret' }),
    );
    const model = scriptedModel([both, { text: 'Done.' }]);
    const agent = await createAgent({ model, tools, plugins: [hide], store, log: 'silent' });
    const { messages } = await agent.run('Go', { sessionId: 's' });
    expect(textOf(messages[2] ?? { content: [] })).toBe('once "my [hidden]"');
    await closeAll(store, elsewhere);
  });
});

it('is taken back if its giver stops waiting, and used by the next resume if the giver is gone', async () => {
  const watched = memoryStore();
  // A store that tells no run what was sent.
  const { watchInbox: _watch, ...store } = watched;
  const leave = Promise.withResolvers<void>();
  const tools = pair(leave, async () => {
    const id = await openId(store);
    await expect(answerInterrupts(store, 's', { [id]: 'no' }, { waitMs: 50 })).rejects.toMatchObject({
      code: 'STORE_CONFLICT',
    });
    const left = AbortSignal.timeout(50);
    await expect(answerInterrupts(store, 's', { [id]: 'no' }, { signal: left })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    expect(await store.inbox?.('s')).toEqual([]);
    await store.send?.('s', { id: 'left', answers: { [id]: 'yes' } });
    leave.resolve();
  });
  const model = scriptedModel([both, { text: 'Done.' }]);
  const agent = await createAgent({ model, tools, store, log: 'silent' });
  expect(await agent.run('Go', { sessionId: 's' })).toMatchObject({ outcome: 'interrupted' });
  const { messages } = await agent.resume('s');
  expect(messages.slice(2).map(textOf)).toEqual(['once "yes"', 'worked', 'Done.']);
  expect([await store.inbox?.('s'), await sentMessages(store, 's')]).toEqual([[], []]);
});

async function closeAll(...all: readonly Store[]): Promise<void> {
  for (const store of new Set(all)) await store.close?.();
}
