import { join } from 'node:path';

import { createAgent, defineTool } from '@shallot/core';
import { sqliteStore } from '@shallot/core/sqlite';
import { scriptedModel } from '@shallot/testing';
import { expect, it, onTestFinished, vi } from 'vitest';

import { connectEditor } from '../test/editor.ts';
import { newWorld, text } from '../test/world.ts';
import type { EditorContext } from './index.ts';

it('shows the run of another process to its end, and its message is answered there', async () => {
  const { cwd } = newWorld();
  const path = join(cwd, 'sessions.db');
  const [store, elsewhere] = [sqliteStore(path), sqliteStore(path)];
  const begun = Promise.withResolvers<void>();
  const pause = defineTool({
    name: 'pause',
    description: 'Waits for the second message.',
    input: { type: 'object' },
    execute: async () => {
      begun.resolve();
      await vi.waitFor(async () => expect(await elsewhere.inbox?.('s')).toHaveLength(1), 10_000);
      return 'ok';
    },
  });
  const other = await createAgent<EditorContext>({
    model: scriptedModel([{ toolCalls: [{ name: 'pause' }] }, { text: 'Both.' }]),
    tools: [pause],
    store: elsewhere,
    log: 'silent',
  });
  const agent = await createAgent<EditorContext>({ model: scriptedModel([]), store, log: 'silent' });
  onTestFinished(async () => {
    await Promise.all([agent.close(), other.close()]);
    await Promise.all([store.close?.(), elsewhere.close?.()]);
  });
  const run = other.run('One', { sessionId: 's', context: { cwd } });
  await begun.promise;
  const editor = await connectEditor(() => ({ agent, store, directory: cwd }));
  await editor.agent.request('session/load', { sessionId: 's', cwd, mcpServers: [] });
  const prompted = editor.agent.request('session/prompt', { sessionId: 's', prompt: text('Two') });
  expect(await prompted).toMatchObject({ stopReason: 'end_turn' });
  expect((await run).text).toBe('Both.');
  expect(editor.said()).toBe('Both.');
  const calls = editor.updates.filter(
    (update) => update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update',
  );
  expect(calls.map(({ status }) => status)).toEqual(['pending', 'completed']);
});

it('shows what another process has done between a load and a prompt', async () => {
  const { cwd } = newWorld();
  const path = join(cwd, 'sessions.db');
  const [store, elsewhere] = [sqliteStore(path), sqliteStore(path)];
  const [begun, loaded, done] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ];
  const pause = defineTool({
    name: 'pause',
    description: 'Waits for the editor.',
    input: { type: 'object' },
    execute: async () => {
      begun.resolve();
      await loaded.promise;
      return 'ok';
    },
  });
  const other = await createAgent<EditorContext>({
    model: scriptedModel([
      { toolCalls: [{ name: 'pause' }] },
      async () => {
        done.resolve();
        await vi.waitFor(async () => expect(await elsewhere.inbox?.('s')).toHaveLength(1), 10_000);
        return { text: 'One.' };
      },
      { text: 'Both.' },
    ]),
    tools: [pause],
    store: elsewhere,
    log: 'silent',
  });
  const agent = await createAgent<EditorContext>({ model: scriptedModel([]), store, log: 'silent' });
  onTestFinished(async () => {
    await Promise.all([agent.close(), other.close()]);
    await Promise.all([store.close?.(), elsewhere.close?.()]);
  });
  const run = other.run('One', { sessionId: 's', context: { cwd } });
  await begun.promise;
  const editor = await connectEditor(() => ({ agent, store, directory: cwd }));
  await editor.agent.request('session/load', { sessionId: 's', cwd, mcpServers: [] });
  loaded.resolve();
  await done.promise;
  await editor.agent.request('session/prompt', { sessionId: 's', prompt: text('Two') });
  await run;
  const statuses = editor.updates.flatMap((update) =>
    update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update'
      ? [update.status]
      : [],
  );
  expect(statuses).toEqual(['pending', 'completed']);
});
