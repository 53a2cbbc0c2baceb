import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { connectEditor } from '../test/editor.ts';
import { newDirectory, newWorld, text } from '../test/world.ts';

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
