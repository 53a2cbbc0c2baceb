import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';

import { afterAll, describe, expect, it, test } from 'vitest';

import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import { message } from '../../../../testing/src/store/store-samples.ts';
import type { Message } from '../../contract/messages.ts';
import type { ChatModel } from '../../contract/model.ts';
import type { Store } from '../../contract/store.ts';
import { defineTool } from '../../contract/tool.ts';
import { createAgent } from '../../create-agent.ts';
import { sqliteStore } from '../../sqlite/sqlite-store.ts';
import { memoryStore } from '../stores/memory-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'shallot-large-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let databases = 0;
const stores: readonly { readonly name: string; readonly open: () => Store }[] = [
  { name: 'memory', open: memoryStore },
  { name: 'SQLite', open: () => sqliteStore(join(folder, `${(databases += 1)}.db`)) },
];

/** Counts the ticks of the event loop until something has settled. */
async function turnsUntil(work: Promise<unknown>): Promise<number> {
  const over = new AbortController();
  void work.finally(() => over.abort()).catch(() => undefined);
  let turns = 0;
  while (!over.signal.aborted) {
    await turn();
    turns += 1;
  }
  return turns;
}

describe.each(stores)('with a $name store', ({ open }) => {
  it('a tool result of 50 MB reaches the model and the session whole', async () => {
    const store = open();
    const text = 'result '.repeat((50 * 2 ** 20) / 7);
    const tool = defineTool({
      name: 'dump',
      description: 'Dumps.',
      input: { type: 'object' },
      maxResultTokens: Infinity,
      execute: () => text,
    });
    let seen: Message | undefined;
    const model = scriptedModel([
      { toolCalls: [{ name: 'dump', args: {} }] },
      ({ messages }) => {
        seen = messages.at(-1);
        return { text: 'Done.' };
      },
    ]);
    const agent = await createAgent({ model, tools: [tool], store, log: 'silent' });
    expect(await agent.run('Go', { sessionId: 's' })).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(lengthOf(seen)).toBe(text.length);
    expect(lengthOf((await store.load('s'))?.messages[2])).toBe(text.length);
    await agent.close();
  });

  it('a session of 100,000 messages goes on', async () => {
    const store = open();
    const append = Array.from({ length: 100_000 }, (_, n) => message(`m${n}`, `text ${n}`));
    await store.commit('s', 0, { append });
    const model = scriptedModel([{ text: 'one' }, { text: 'two' }]);
    const agent = await createAgent({ model, store, log: 'silent' });
    for (const text of ['one', 'two'])
      expect(await agent.run('Go', { sessionId: 's' })).toMatchObject({ text });
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([100_001, 100_003]);
    expect((await store.load('s'))?.messages).toHaveLength(100_004);
    await agent.close();
  });
});

test('10,000 sessions at once all end, and leave turns to others', async () => {
  const model: ChatModel = {
    id: 'test/echo',
    async generate({ messages }) {
      await turn();
      const [part] = messages.at(-1)?.content ?? [];
      const text = part?.type === 'text' ? part.text : '';
      return { message: { role: 'assistant', content: [{ type: 'text', text }] }, finish: 'stop' };
    },
  };
  const store = memoryStore();
  await using agent = await createAgent({ model, store, log: 'silent' });
  const names = Array.from({ length: 10_000 }, (_, n) => `session ${n}`);
  const running = Promise.all(names.map(async (name) => agent.run(name, { sessionId: name })));
  expect(await turnsUntil(running)).toBeGreaterThan(2);
  expect((await running).map(({ text }) => text)).toEqual(names);
  let listed = 0;
  for await (const { messages } of store.list()) listed += messages;
  expect(listed).toBe(20_000);
});

test('a model that emits 200,000 chunks without waiting is heard whole by a consumer that comes late', async () => {
  const count = 200_000;
  const model: ChatModel = {
    id: 'test/hasty',
    async generate(_, { emit }) {
      for (let index = 0; index < count; index += 1)
        void emit({ type: 'text-delta', index: 0, text: `${index} ` });
      const text = Array.from({ length: count }, (_unused, index) => `${index} `).join('');
      return { message: { role: 'assistant', content: [{ type: 'text', text }] }, finish: 'stop' };
    },
  };
  await using agent = await createAgent({ model, log: 'silent' });
  const stream = agent.stream('Go');
  const events = stream[Symbol.asyncIterator]();
  await events.next();
  for (let n = 0; n < 10; n += 1) await turn();
  let [text, deltas] = ['', 0];
  for await (const event of { [Symbol.asyncIterator]: () => events }) {
    if (event.type !== 'text-delta') continue;
    text += event.text;
    deltas += 1;
  }
  expect(text).toBe((await stream.result).text);
  expect(deltas).toBeLessThan(1000);
});

function lengthOf(given: Message | undefined): number | undefined {
  const part = given?.content[0];
  return part?.type === 'text' ? part.text.length : undefined;
}
