import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import type { Store } from '../contract/store.ts';
import { createAgent } from '../create-agent.ts';
import { definePlugin, defineTool, memoryStore } from '../index.ts';
import { sqliteStore } from '../sqlite/sqlite-store.ts';
import { setTitle } from '../workers/set-title.ts';

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

  it('is refused where it and the other notes take a kilobyte', async () => {
    const store = memoryStore();
    const [short, long] = ['Tea', '茶'.repeat(100)];
    const notes = { owner: '語'.repeat(100), cwd: '語'.repeat(150) };
    const model = scriptedModel([...calling(long), { text: 'Hello.' }]);
    const agent = await createAgent({ model, plugins: [titles(short)], store, log: 'silent' });
    const { messages } = await agent.run('Hi', { sessionId: 's', ...notes });
    const refused = expect.stringContaining('bytes of JSON') as string;
    expect(messages[2]).toMatchObject({ isError: true, content: [{ text: refused }] });
    await expect(setTitle(store, 's', long)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: refused,
    });
    await setTitle(store, 's', 'Cake');
    expect(await titleIn(store, 's')).toBe('Cake');
    await agent.close();
  });

  it('leaves less room for the files of a session that it was set in', async () => {
    const store = memoryStore();
    const model = scriptedModel([{ text: 'Hello.' }]);
    const noting = definePlugin({
      name: 'noting',
      setup({ hooks, setTitle: name, sessionPath }) {
        const pathOf = sessionPath({ directory: `/${'x'.repeat(200)}` });
        hooks.beforeAgent.tapPromise('note', async (run) => {
          await name(run, '茶'.repeat(100));
          await pathOf(run);
        });
      },
    })();
    const agent = await createAgent({ model, plugins: [noting], store, log: 'silent' });
    const notes = { title: 'Tea', cwd: '語'.repeat(170) };
    await expect(agent.run('Hi', { sessionId: 's', ...notes })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining('cannot note /xxx') as string,
    });
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
