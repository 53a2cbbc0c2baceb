import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import type { Store } from '../contract/store.ts';
import { createAgent } from '../create-agent.ts';
import { definePlugin, defineTool, memoryStore } from '../index.ts';
import { sqliteStore } from '../sqlite/sqlite-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'title-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A plugin that sets a title before each run, and offers a tool that sets one. */
const titles = (first: string) =>
  definePlugin({
    name: 'titles',
    setup({ hooks, tools, setTitle }) {
      hooks.beforeAgent.tapPromise('first', (run) => setTitle(run, first));
      tools.add(
        defineTool({
          name: 'set_title',
          description: 'Sets the title of the conversation',
          input: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
          execute: async ({ title }, { run }) => {
            await setTitle(run, title as string);
            return 'It is set.';
          },
        }),
      );
    },
  })();

async function titleIn(store: Store, sessionId: string): Promise<string | undefined> {
  for await (const { about } of store.list({ id: sessionId })) return about?.title;
  return undefined;
}

const calling = (title: string) => [
  { toolCalls: [{ name: 'set_title', args: { title } }] },
  { text: 'Done.' },
];

describe('the title of a session', () => {
  it.each([
    ['in memory', memoryStore],
    ['in SQLite', () => sqliteStore(join(folder, 'sessions.db'))],
  ])('is set by a plugin, and by the model with a tool, %s', async (_where, open) => {
    const store = open();
    const model = scriptedModel([{ text: 'Hello.' }, ...calling('By the model')]);
    const agent = await createAgent({ model, plugins: [titles('By a plugin')], store, log: 'silent' });
    await agent.run('Hi', { sessionId: 's', title: 'First words' });
    expect(await titleIn(store, 's')).toBe('By a plugin');
    await agent.run('Name it', { sessionId: 's' });
    expect(await titleIn(store, 's')).toBe('By the model');
    await agent.close();
    await store.close?.();
  });

  it.each(['', 'x'.repeat(10_000), 'a\u0007b', 'a\nb'])('is refused as %j', async (title) => {
    const store = memoryStore();
    const model = scriptedModel([...calling(title)]);
    const agent = await createAgent({ model, plugins: [titles('Tea')], store, log: 'silent' });
    const { messages } = await agent.run('Hi', { sessionId: 's' });
    expect(messages[2]).toMatchObject({
      role: 'tool',
      isError: true,
      content: [{ text: expect.stringContaining('1 to 100 characters') as string }],
    });
    expect(await titleIn(store, 's')).toBe('Tea');
    await agent.close();
  });

  it('is set once in a store that cannot change it; then the plugin is told', async () => {
    const { setTitle: _, ...store } = memoryStore();
    const model = scriptedModel([{ text: 'Hello.' }, { text: 'Hello.' }]);
    const agent = await createAgent({ model, plugins: [titles('Tea')], store, log: 'silent' });
    await agent.run('Hi', { sessionId: 's' });
    expect(await titleIn(store, 's')).toBe('Tea');
    await expect(agent.run('Hi', { sessionId: 's' })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await agent.close();
  });
});
