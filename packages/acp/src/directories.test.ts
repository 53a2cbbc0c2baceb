import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { defineTool } from '@shallot/core';
import { expect, it } from 'vitest';

import { connectEditor } from '../test/editor.ts';
import { newDirectory, newWorld, text } from '../test/world.ts';
import type { ServedAgent } from './index.ts';

it('refuses directories that are none, and a session of another directory', async () => {
  const { cwd, serve } = newWorld();
  const { agent } = await connectEditor(await serve([{ text: 'Hello.' }]));
  const file = join(cwd, 'file');
  writeFileSync(file, '');
  for (const [wrong, message] of [
    ['relative', /not an absolute path/],
    [join(cwd, 'nowhere'), /does not exist/],
    [file, /not a directory/],
    ['/', /root of the file system/],
    [deepDirectory(cwd, 501), /at most 500/],
  ] as const)
    await expect(agent.request('session/new', { cwd: wrong, mcpServers: [] })).rejects.toThrow(message);
  const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [] });
  await agent.request('session/prompt', { sessionId, prompt: text('Hi') });
  const other = newDirectory();
  await expect(agent.request('session/load', { sessionId, cwd: other, mcpServers: [] })).rejects.toThrow(
    `is about the directory ${cwd}`,
  );
  await expect(
    agent.request('session/load', { sessionId: 'unknown', cwd, mcpServers: [] }),
  ).rejects.toMatchObject({ code: -32_002 });
});

it('keeps a long directory with its session', async () => {
  const { cwd, serve } = newWorld();
  const served = await serve([{ text: 'Hello.' }]);
  const deep = deepDirectory(cwd, 499);
  const { agent } = await connectEditor(served);
  const { sessionId } = await agent.request('session/new', { cwd: deep, mcpServers: [] });
  await agent.request('session/prompt', { sessionId, prompt: text('Hi') });
  const again = await connectEditor(served);
  await expect(again.agent.request('session/load', { sessionId, cwd, mcpServers: [] })).rejects.toThrow(
    `is about the directory ${deep}`,
  );
  await again.agent.request('session/load', { sessionId, cwd: deep, mcpServers: [] });
  expect(again.said()).toBe('Hello.');
});

it('deletes a session that is not open, with its files in its own directory', async () => {
  const { cwd, newAgent, store } = newWorld();
  const long = defineTool({
    name: 'read_all',
    description: 'Returns more than a model is sent.',
    input: { type: 'object' },
    execute: () => 'long '.repeat(20_000),
  });
  const agent = await newAgent([{ toolCalls: [{ name: 'read_all' }] }, { text: 'Read.' }], { tools: [long] });
  const served = (): ServedAgent => ({ agent, store, directory: cwd });
  const own = newDirectory();
  const { agent: editor, close } = await connectEditor(served);
  const { sessionId } = await editor.request('session/new', { cwd: own, mcpServers: [] });
  await editor.request('session/prompt', { sessionId, prompt: text('Read it') });
  await close();
  expect(filesIn(own)).toHaveLength(1);
  const again = await connectEditor(served);
  await again.agent.request('session/delete', { sessionId });
  expect(filesIn(own)).toEqual([]);
});

function filesIn(directory: string): readonly string[] {
  const found = readdirSync(directory, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** Makes a directory below one, with a path of so many characters. */
function deepDirectory(below: string, length: number): string {
  const missing = length - below.length;
  const names = Array.from({ length: Math.ceil(missing / 100) }, (_, index) =>
    'd'.repeat(Math.min(99, missing - index * 100 - 1)),
  );
  const path = join(below, ...names.filter((name) => name !== ''));
  mkdirSync(path, { recursive: true });
  return path;
}
