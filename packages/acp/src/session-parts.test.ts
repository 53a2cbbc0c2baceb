import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { McpServer, NewSessionRequest } from '@agentclientprotocol/sdk';
import { defineTool, textOf } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import type { Store } from '@shallot/core/store';
import filesystem from '@shallot/plugin-filesystem';
import hitl from '@shallot/plugin-hitl';
import summarization from '@shallot/plugin-summarization';
import { scriptedModel } from '@shallot/testing';
import { expect, it, vi } from 'vitest';

import { connectEditor } from '../test/editor.ts';
import { newDirectory, newWorld, ofType, text } from '../test/world.ts';
import type { ServedAgent } from './index.ts';

const stdio: McpServer = {
  name: 'clock',
  command: 'clock',
  args: ['--utc'],
  env: [{ name: 'A', value: '1' }],
};

it('offers the models of the config, and answers with the one that is chosen', async () => {
  const { cwd, store, newAgent } = newWorld();
  const agent = await newAgent([{ text: 'from the first' }]);
  const served = (): ServedAgent => ({
    agent,
    store,
    directory: cwd,
    models: ['other'],
    forSession: async ({ model }) => {
      if (model !== 'other') throw new Error('no such model');
      const own = await agent.fork({ model: scriptedModel([{ text: 'from the second' }]) });
      return { agent: own, problems: [] };
    },
  });
  const editor = await connectEditor(served);
  const { sessionId, configOptions } = await editor.agent.request('session/new', { cwd, mcpServers: [] });
  expect(configOptions).toMatchObject([
    { id: 'model', category: 'model', currentValue: agent.model.id, options: { length: 2 } },
  ]);
  const choose = (value: string) =>
    editor.agent.request('session/set_config_option', { sessionId, configId: 'model', value });
  expect(await choose('other')).toMatchObject({ configOptions: [{ currentValue: 'other' }] });
  await editor.agent.request('session/prompt', { sessionId, prompt: text('Hi') });
  await choose(agent.model.id);
  await editor.agent.request('session/prompt', { sessionId, prompt: text('Hi') });
  expect(editor.said()).toBe('from the secondfrom the first');
  await expect(choose('none')).rejects.toMatchObject({ data: { code: 'OPTION_INVALID' } });
});

it('gives the MCP servers of the editor to their session alone, and names those that are missing later', async () => {
  const { cwd, store, newAgent } = newWorld();
  const call = { toolCalls: [{ name: 'clock' }] };
  const agent = await newAgent([call, { text: 'Noon.' }]);
  const given: unknown[] = [];
  const served = (): ServedAgent => ({
    agent,
    store,
    directory: cwd,
    forSession: async ({ mcpServers }) => {
      given.push(mcpServers);
      const own = await agent.fork();
      own.tools.add(
        defineTool({ name: 'clock', description: '', input: { type: 'object' }, execute: async () => '12' }),
      );
      return { agent: own, problems: [new Error('The server calendar does not start.')] };
    },
  });
  const { agent: client, said } = await connectEditor(served);
  const { sessionId } = await client.request('session/new', { cwd, mcpServers: [stdio] });
  await client.request('session/prompt', { sessionId, prompt: text('What time is it?') });
  expect(given).toEqual([{ clock: { command: 'clock', args: ['--utc'], env: { A: '1' }, cwd } }]);
  expect(said()).toContain('The server calendar does not start.');
  expect(said()).toContain('Noon.');
  expect(agent.tools.list()).toEqual([]);

  const without = await connectEditor(served);
  await without.agent.request('session/resume', { sessionId, cwd });
  await vi.waitFor(() => expect(without.said()).toMatch(/does not have here: clock/), 10_000);
  const again = await connectEditor(served);
  await again.agent.request('session/load', { sessionId, cwd, mcpServers: [stdio] });
  await vi.waitFor(() => expect(again.said()).toMatch(/calendar/), 10_000);
  expect(again.said()).not.toContain('does not have here');
});

it('works in further directories of the editor', async () => {
  const { cwd, serve } = newWorld([filesystem()]);
  const lib = newDirectory();
  const args = { path: `/roots/${lib.split('/').at(-1)}/a.txt`, content: 'A' };
  const served = await serve([{ toolCalls: [{ id: 'w', name: 'write_file', args }] }, { text: 'Done.' }]);
  const { agent, updates } = await connectEditor(served);
  const params: NewSessionRequest = { cwd, additionalDirectories: [lib], mcpServers: [] };
  const { sessionId } = await agent.request('session/new', params);
  await agent.request('session/prompt', { sessionId, prompt: text('Write') });
  const place = join(lib, 'a.txt');
  expect(readFileSync(place, 'utf8')).toBe('A');
  expect(ofType(updates, 'tool_call_update')[0]).toMatchObject({
    locations: [{ path: place }],
    content: [{ type: 'diff', path: place }],
  });
  const wrong: NewSessionRequest = { cwd, additionalDirectories: [join(lib, 'nowhere')], mcpServers: [] };
  await expect(agent.request('session/new', wrong)).rejects.toThrow(/does not exist/);
});

it.each([
  [true, 'one\nTWO\nthree\n', 'one\nTWO\nthree\n'],
  [false, 'one\ntwo\nthree\n', 'one\n'],
])(
  'reads what the editor has not saved, and writes to it if it may: %s',
  async (writeTextFile, shown, saved) => {
    const { cwd, serve } = newWorld([filesystem()]);
    const path = join(cwd, 'a.txt');
    writeFileSync(path, 'one\n');
    const windows = new Map([[path, 'one\ntwo\nthree\n']]);
    const edit = { path: '/a.txt', old_string: 'two', new_string: 'TWO' };
    const served = await serve([
      { toolCalls: [{ id: 'r', name: 'read_file', args: { path: '/a.txt' } }] },
      { toolCalls: [{ id: 'e', name: 'edit_file', args: edit }] },
      { text: 'Done.' },
    ]);
    const { agent, updates } = await connectEditor(() => ({ ...served(), unsavedFiles: true }), {
      capabilities: { fs: { readTextFile: true, writeTextFile } },
      windows,
    });
    const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [] });
    await agent.request('session/prompt', { sessionId, prompt: text('Edit') });
    const ended = ofType(updates, 'tool_call_update').filter(({ status }) => status === 'completed');
    expect(JSON.stringify(ended.find(({ toolCallId }) => toolCallId === 'r'))).toContain('three');
    expect(ended.some(({ toolCallId }) => toolCallId === 'e')).toBe(writeTextFile);
    expect([windows.get(path), readFileSync(path, 'utf8')]).toEqual([shown, saved]);
  },
);

it('reports compactions to editors that show them', async () => {
  const { cwd, serve } = newWorld([
    summarization({ trigger: { messages: 3 }, keep: { messages: 1 }, historyDirectory: null }),
  ]);
  const served = await serve([{ text: 'One.' }, { text: 'Summary.' }, { text: 'Two.' }, { text: 'Three.' }]);
  const { agent, updates } = await connectEditor(served, { capabilities: { session: { compaction: {} } } });
  const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [] });
  for (const each of ['1', '2'])
    await agent.request('session/prompt', { sessionId, prompt: text(each.repeat(400)) });
  const compactions = ofType(updates, 'compaction_update');
  expect(compactions.map(({ status }) => status)).toEqual(['in_progress', 'completed']);
  expect(new Set(compactions.map(({ compactionId }) => compactionId)).size).toBe(1);
});

it('reads the config again at /reload, lists its commands, and keeps the mode', async () => {
  const { cwd, store, newAgent } = newWorld([filesystem(), hitl({})]);
  let agent = await newAgent([]);
  const served = (): ServedAgent => ({
    agent,
    store,
    directory: cwd,
    reload: async () => {
      agent = await newAgent([{ text: 'Anew.' }]);
    },
  });
  const editor = await connectEditor(served);
  const { sessionId } = await editor.agent.request('session/new', { cwd, mcpServers: [] });
  await editor.agent.request('session/set_mode', { sessionId, modeId: 'edits' });
  expect(ofType(editor.updates, 'config_option_update').at(-1)).toMatchObject({
    configOptions: [{ id: 'mode', currentValue: 'edits' }],
  });
  await vi.waitFor(() => expect(ofType(editor.updates, 'available_commands_update')).toHaveLength(1), 10_000);
  await editor.agent.request('session/prompt', { sessionId, prompt: text('/reload') });
  expect(ofType(editor.updates, 'available_commands_update')).toHaveLength(2);
  expect(ofType(editor.updates, 'current_mode_update').at(-1)).toMatchObject({ currentModeId: 'edits' });
  await editor.agent.request('session/prompt', { sessionId, prompt: text('Hi') });
  for (const command of ['/title A name', '/usage', '/plugins', '/permissions'])
    await editor.agent.request('session/prompt', { sessionId, prompt: text(command) });
  for (const part of ['Reloaded', 'Anew.', 'A name', '1 model calls', '- filesystem', 'no rules'])
    expect(editor.said()).toContain(part);
});

it('shows what a child does as the content of the call that began it', async () => {
  const { cwd, store, newAgent } = newWorld();
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    title: 'Look around',
    input: { type: 'object' },
    execute: () => 'a wall',
  });
  const task = defineTool({
    name: 'task',
    description: 'Sends the scout.',
    input: { type: 'object' },
    execute: async (_, { child }) =>
      (await child({ agent: { name: 'scout', tools: ['look'] }, prompt: 'Scout.' })).text,
  });
  const agent = await newAgent(
    [
      { toolCalls: [{ id: 't', name: 'task' }] },
      { text: 'I look.', toolCalls: [{ name: 'look' }] },
      { text: 'A wall.' },
      { text: 'Done.' },
    ],
    { tools: [task, look] },
  );
  const { agent: editor, updates } = await connectEditor(() => ({ agent, store, directory: cwd }));
  const { sessionId } = await editor.request('session/new', { cwd, mcpServers: [] });
  await editor.request('session/prompt', { sessionId, prompt: text('Scout') });
  const contents = ofType(updates, 'tool_call_update').flatMap(({ toolCallId, content }) =>
    toolCallId === 't' ? [JSON.stringify(content)] : [],
  );
  expect(contents.at(-2)).toMatch(/scout: I look\.\\nscout: Look around\\nscout: A wall\./);
  expect(contents.at(-1)).toContain('A wall.');
  expect(ofType(updates, 'tool_call').map(({ toolCallId }) => toolCallId)).toEqual(['t']);
});

/** Answers the message "Say it" until it is aborted. */
const slow: ChatModel = {
  id: 'test/slow',
  async generate({ messages }, { emit, signal }) {
    const last = messages.findLast(({ role }) => role === 'user');
    const isSlow = last !== undefined && textOf(last) === 'Say it';
    if (isSlow) await emit?.({ type: 'text-delta', index: 0, text: 'Half ' });
    if (isSlow) await once(signal, 'abort');
    signal.throwIfAborted();
    return { message: { role: 'assistant', content: [{ type: 'text', text: 'Whole.' }] }, finish: 'stop' };
  },
};

it('shows an answer after one that was cancelled as a message of its own, once', async () => {
  const { cwd, store, newAgent } = newWorld();
  const agent = await newAgent([], { model: slow });
  const { agent: editor, updates, said } = await connectEditor(() => ({ agent, store, directory: cwd }));
  const { sessionId } = await editor.request('session/new', { cwd, mcpServers: [] });
  const first = editor.request('session/prompt', { sessionId, prompt: text('Say it') });
  await vi.waitFor(() => expect(said()).toBe('Half '), 10_000);
  await editor.notify('session/cancel', { sessionId });
  expect((await first).stopReason).toBe('cancelled');
  await editor.request('session/prompt', { sessionId, prompt: text('Again') });
  expect(said()).toBe('Half Whole.');
  const chunks = ofType(updates, 'agent_message_chunk');
  expect(new Set(chunks.map(({ messageId }) => messageId)).size).toBe(2);
});

it.each(['session/cancel', 'session/close'] as const)(
  'drops a prompt that waits for another at a %s',
  async (end) => {
    const { cwd, store: world, newAgent } = newWorld();
    // Nothing can be sent to a run, as before its first commit.
    const store: Store = { ...world, send: async () => false };
    const agent = await newAgent([], { model: slow, store });
    const { agent: editor, said } = await connectEditor(() => ({ agent, store, directory: cwd }));
    const { sessionId } = await editor.request('session/new', { cwd, mcpServers: [] });
    const prompt = (words: string) => editor.request('session/prompt', { sessionId, prompt: text(words) });
    const prompts = [prompt('Say it'), prompt('Again')];
    await vi.waitFor(() => expect(said()).toBe('Half '), 10_000);
    if (end === 'session/cancel') await editor.notify(end, { sessionId });
    else await editor.request(end, { sessionId });
    const reasons = (await Promise.all(prompts)).map(({ stopReason }) => stopReason);
    expect(reasons).toEqual(['cancelled', 'cancelled']);
    expect((await agent.session(sessionId))?.messages).toHaveLength(1);
  },
);
