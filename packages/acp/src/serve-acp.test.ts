import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { CreateElicitationRequest, RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { createAgent, defineTool, ShallotError, type JsonValue } from '@shallot/core';
import { sqliteStore } from '@shallot/core/sqlite';
import { pendingInterrupts } from '@shallot/core/work';
import askUser from '@shallot/plugin-ask-user';
import filesystem from '@shallot/plugin-filesystem';
import hitl from '@shallot/plugin-hitl';
import todo from '@shallot/plugin-todo';
import { scriptedModel, type ScriptedStep } from '@shallot/testing';
import { expect, it, onTestFinished, vi } from 'vitest';

import { connectEditor } from '../test/editor.ts';
import { newWorld, ofType, text } from '../test/world.ts';
import type { EditorContext } from './index.ts';

const write: ScriptedStep = {
  toolCalls: [{ id: 'w', name: 'write_file', args: { path: '/a.txt', content: 'A' } }],
};
const writers = [filesystem(), hitl({ tools: { write_file: true } })];

it('answers a prompt with text and reasoning as they stream, and tells the use of the context', async () => {
  const { cwd, serve } = newWorld();
  const usage = { input: 10, output: 5, total: 15 };
  const served = await serve([{ reasoning: 'A greeting.', text: 'Hello there.', usage }]);
  const { agent, updates, said } = await connectEditor(served);
  const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [] });
  const { stopReason } = await agent.request('session/prompt', { sessionId, prompt: text('Hi') });
  expect(stopReason).toBe('end_turn');
  expect(said()).toBe('Hello there.');
  expect(ofType(updates, 'agent_message_chunk').length).toBeGreaterThan(1);
  expect(ofType(updates, 'agent_thought_chunk').length).toBeGreaterThan(0);
  expect(ofType(updates, 'usage_update')).toEqual([expect.objectContaining({ used: 15, size: 1000 })]);
});

it('shows the place of a call whose path is one of the machine', async () => {
  const { cwd, serve } = newWorld([filesystem()]);
  const place = join(cwd, 'a.txt');
  const call = { id: 'w', name: 'write_file', args: { path: place, content: 'A' } };
  const served = await serve([{ toolCalls: [call] }, { text: 'Written.' }]);
  const { agent, updates } = await connectEditor(served);
  const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [] });
  await agent.request('session/prompt', { sessionId, prompt: text('Write') });
  const begun = ofType(updates, 'tool_call_update').find(({ toolCallId }) => toolCallId === 'w');
  const diff = { type: 'diff', path: place, newText: 'A' };
  expect(begun).toMatchObject({ locations: [{ path: place }], content: [diff] });
});

it('announces each call once, with its title, kind, place and diff, and ends it once, also after a load', async () => {
  const { cwd, serve } = newWorld([filesystem(), todo()]);
  const todos = { todos: [{ content: 'Write', status: 'in_progress' }] };
  const served = await serve([
    write,
    { toolCalls: [{ name: 'write_todos', args: todos }] },
    { text: 'Written.' },
  ]);
  const { agent, updates } = await connectEditor(served);
  const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [] });
  await agent.request('session/prompt', { sessionId, prompt: text('Write') });
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('A');
  const place = join(cwd, 'a.txt');
  expect(ofType(updates, 'tool_call').filter(({ toolCallId }) => toolCallId === 'w')).toHaveLength(1);
  const about = ofType(updates, 'tool_call_update').filter(({ toolCallId }) => toolCallId === 'w');
  expect(about).toMatchObject([
    {
      status: 'in_progress',
      kind: 'edit',
      locations: [{ path: place }],
      content: [{ type: 'diff', path: place, newText: 'A' }],
    },
    { status: 'completed', content: [{ type: 'diff', path: place, newText: 'A' }, { type: 'content' }] },
  ]);
  expect(ofType(updates, 'plan')).toMatchObject([{ entries: [{ content: 'Write', status: 'in_progress' }] }]);

  const again = await connectEditor(served);
  await again.agent.request('session/load', { sessionId, cwd, mcpServers: [] });
  const shown = again.updates.filter((update) => 'toolCallId' in update && update.toolCallId === 'w');
  const facts = { toolCallId: 'w', kind: 'edit', locations: [{ path: place }] };
  const diff = { type: 'diff', path: place, newText: 'A' };
  expect(shown).toMatchObject([
    {
      sessionUpdate: 'tool_call',
      ...facts,
      title: expect.stringContaining('/a.txt') as unknown,
      content: [diff],
    },
    { sessionUpdate: 'tool_call_update', status: 'completed', content: [diff, { type: 'content' }] },
  ]);
});

it.each([
  ['allow', 'completed', true],
  ['always', 'completed', true],
  ['reject', 'failed', false],
] as const)('asks for a permission: %s', async (optionId, status, isWritten) => {
  const { cwd, serve } = newWorld(writers);
  const served = await serve([write, { text: 'Done.' }]);
  const asked: RequestPermissionRequest[] = [];
  const { agent, updates } = await connectEditor(served, {
    onPermission: (request) => {
      asked.push(request);
      return { outcome: { outcome: 'selected', optionId } };
    },
  });
  const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [] });
  await agent.request('session/prompt', { sessionId, prompt: text('Write') });
  const diff = { type: 'diff', path: join(cwd, 'a.txt'), newText: 'A' };
  expect(asked).toMatchObject([
    { toolCall: { toolCallId: 'w', rawInput: { path: '/a.txt' }, content: [diff] } },
  ]);
  const kinds = asked[0]?.options.map(({ kind }) => kind);
  expect(kinds).toEqual(['allow_once', 'allow_always', 'reject_once']);
  expect(ofType(updates, 'tool_call_update').at(-1)).toMatchObject({ toolCallId: 'w', status });
  expect(await served().agent.session(sessionId)).toMatchObject({ status: 'completed' });
  expect(existsSync(join(cwd, 'a.txt'))).toBe(isWritten);
});

it('takes arguments and reasons from forms, and asks again after an answer that does not fit', async () => {
  const { cwd, serve } = newWorld(writers);
  const served = await serve([write, { text: 'Done.' }]);
  const texts = ['[1]', '{"path":"/b.txt","content":"B"}'];
  const { agent } = await connectEditor(served, {
    capabilities: { elicitation: { form: {} } },
    onPermission: () => ({ outcome: { outcome: 'selected', optionId: 'edit' } }),
    onForm: () => ({ action: 'accept', content: { args: texts.shift() ?? '' } }),
  });
  const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [] });
  await agent.request('session/prompt', { sessionId, prompt: text('Write') });
  expect(readFileSync(join(cwd, 'b.txt'), 'utf8')).toBe('B');
});

it('asks other questions by forms: one field for a text or a choice, JSON for what is not flat', async () => {
  const { cwd, serve } = newWorld([askUser()]);
  const questions = (...asked: JsonValue[]): ScriptedStep => ({
    toolCalls: [{ name: 'ask_user', args: { questions: asked } }],
  });
  const served = await serve([
    questions({ question: 'Where?', choices: ['market', 'shop'], strict: true }),
    questions({ question: 'When?' }),
    questions({ question: 'What?', choices: ['honey', 'wax'], several: true }),
    { text: 'Thank you.' },
  ]);
  const forms: CreateElicitationRequest[] = [];
  const answers = ['shop', 'noon', '["wax"]'];
  const { agent, updates } = await connectEditor(served, {
    capabilities: { elicitation: { form: {} } },
    onForm: (form) => {
      forms.push(form);
      return { action: 'accept', content: { answer: answers.shift() ?? '' } };
    },
  });
  const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [] });
  await agent.request('session/prompt', { sessionId, prompt: text('Ask') });
  expect(forms).toMatchObject([
    { requestedSchema: { properties: { answer: { type: 'string', enum: ['market', 'shop'] } } } },
    { message: 'When?', requestedSchema: { properties: { answer: { type: 'string', title: 'When?' } } } },
    { message: expect.stringContaining('as JSON') as unknown },
  ]);
  const ends = ofType(updates, 'tool_call_update').filter(({ status }) => status === 'completed');
  expect(ends.map(({ content }) => JSON.stringify(content)).join()).toMatch(/shop.*noon.*wax/);
});

it('asks an open question again after a load in another process, outside of a prompt, and goes on', async () => {
  const { cwd, serve } = newWorld(writers);
  const first = await serve([write]);
  let shown = (): void => {};
  const isShown = new Promise<void>((resolve) => {
    shown = resolve;
  });
  const before = await connectEditor(first, {
    onPermission: () => {
      shown();
      return new Promise(() => {});
    },
  });
  const { sessionId } = await before.agent.request('session/new', { cwd, mcpServers: [] });
  const left = before.agent.request('session/prompt', { sessionId, prompt: text('Write') }).catch(() => {});
  await isShown;
  await before.close();
  await left;

  const second = await serve([{ text: 'Written.' }]);
  const { agent, updates, said } = await connectEditor(second, {
    onPermission: () => ({ outcome: { outcome: 'selected', optionId: 'allow' } }),
  });
  const { sessions } = await agent.request('session/list', { cwd });
  expect(sessions).toMatchObject([{ sessionId, cwd, title: 'Write' }]);
  await agent.request('session/load', { sessionId, cwd, mcpServers: [] });
  await vi.waitFor(() => expect(said()).toBe('Written.'), 10_000);
  expect(ofType(updates, 'user_message_chunk')).toMatchObject([{ content: { text: 'Write' } }]);
  expect(ofType(updates, 'tool_call').filter(({ toolCallId }) => toolCallId === 'w')).toHaveLength(1);
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('A');
});

it('keeps a question open when the prompt is cancelled, and gives a later prompt to the same run', async () => {
  const { cwd, serve } = newWorld(writers);
  const served = await serve([write, { text: 'Written, and noted.' }]);
  let answers = 0;
  const { agent, said } = await connectEditor(served, {
    onPermission: async ({ sessionId }) => {
      answers += 1;
      if (answers === 1) {
        await agent.notify('session/cancel', { sessionId });
        return { outcome: { outcome: 'cancelled' } };
      }
      return { outcome: { outcome: 'selected', optionId: 'allow' } };
    },
  });
  const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [] });
  const first = await agent.request('session/prompt', { sessionId, prompt: text('Write') });
  expect(first.stopReason).toBe('cancelled');
  expect(await pendingInterrupts(served().store, sessionId)).toHaveLength(1);
  const second = await agent.request('session/prompt', { sessionId, prompt: text('And note it') });
  expect(second.stopReason).toBe('end_turn');
  expect(said()).toBe('Written, and noted.');
  const view = await served().agent.session(sessionId);
  expect(JSON.stringify(view?.messages)).toContain('And note it');
});

it('sends only the rest of a draft that begins like the one before, else a message of its own', async () => {
  const { cwd, serve } = newWorld();
  const restart = { type: 'restart' } as const;
  const served = await serve([
    { chunks: ['Good ', 'mor', restart, 'Good morning.'] },
    { chunks: ['Good ', 'mor', restart, 'Hello.'] },
  ]);
  const { agent, updates, said } = await connectEditor(served, {
    capabilities: { session: { notices: {} } },
  });
  const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [] });
  await agent.request('session/prompt', { sessionId, prompt: text('1') });
  expect(said()).toBe('Good morning.');
  expect(ofType(updates, 'notice')).toEqual([]);
  await agent.request('session/prompt', { sessionId, prompt: text('2') });
  expect(ofType(updates, 'notice')).toMatchObject([{ title: 'The answer was taken back' }]);
  const last = ofType(updates, 'agent_message_chunk').at(-1);
  expect(last).toMatchObject({ content: { text: 'Hello.' } });
  expect(last?.messageId).not.toBe(ofType(updates, 'agent_message_chunk')[0]?.messageId);
});

it('takes images, links and embedded files in a prompt', async () => {
  const { cwd, serve } = newWorld();
  const served = await serve([{ text: 'Seen.' }]);
  const { agent } = await connectEditor(served);
  const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [] });
  await agent.request('session/prompt', {
    sessionId,
    prompt: [
      { type: 'text', text: 'Look:' },
      { type: 'resource_link', uri: 'file:///a.ts', name: 'a.ts' },
      { type: 'resource', resource: { uri: 'file:///b.md', text: '```\ncode\n```' } },
    ],
  });
  const view = await served().agent.session(sessionId);
  expect(view?.messages[0]?.content).toMatchObject([
    { text: 'Look:' },
    { text: '[a.ts](file:///a.ts)' },
    { text: 'file:///b.md\n````\n```\ncode\n```\n````' },
  ]);
  await expect(
    agent.request('session/prompt', {
      sessionId,
      prompt: [{ type: 'image', mimeType: 'image/png', data: '?' }],
    }),
  ).rejects.toThrow(/not base64/);
});

it('answers requests with the code of an error: of a run, and of a config that does not load', async () => {
  const { cwd, serve } = newWorld();
  const failing = await connectEditor(await serve([{ error: new Error('no key') }]));
  const { sessionId } = await failing.agent.request('session/new', { cwd, mcpServers: [] });
  await expect(
    failing.agent.request('session/prompt', { sessionId, prompt: text('Hi') }),
  ).rejects.toMatchObject({ data: { code: 'MODEL_FAILED' } });
  const { agent } = await connectEditor(() => {
    throw new ShallotError('CONFIG_INVALID', { message: 'maxSteps is "x"; write a number.' });
  });
  await expect(agent.request('session/new', { cwd, mcpServers: [] })).rejects.toMatchObject({
    message: expect.stringContaining('maxSteps') as unknown,
    data: { code: 'CONFIG_INVALID' },
  });
});

it('chooses the mode of the permissions, and deletes a session', async () => {
  const { cwd, serve } = newWorld(writers);
  const served = await serve([{ text: 'Hello.' }]);
  const { agent } = await connectEditor(served);
  const { sessionId, modes } = await agent.request('session/new', { cwd, mcpServers: [] });
  expect(modes).toMatchObject({ currentModeId: 'ask', availableModes: { length: 3 } });
  await agent.request('session/set_mode', { sessionId, modeId: 'read-only' });
  expect(served().agent.permissions?.modeOf(sessionId, undefined)).toBe('read-only');
  await expect(agent.request('session/set_mode', { sessionId, modeId: 'none' })).rejects.toThrow(/no mode/);
  await agent.request('session/prompt', { sessionId, prompt: text('Hi') });
  await agent.request('session/delete', { sessionId });
  expect(await served().store.load(sessionId)).toBeUndefined();
});

it('sends a prompt that comes during another to the same run', async () => {
  const { cwd } = newWorld();
  const store = sqliteStore(join(cwd, 'sessions.db'));
  let send = (): Promise<unknown> => Promise.resolve();
  const agent = await createAgent<EditorContext>({
    model: scriptedModel([{ toolCalls: [{ name: 'pause' }] }, { text: 'Both.' }]),
    tools: [
      defineTool({
        name: 'pause',
        description: 'Waits for the second message.',
        input: { type: 'object' },
        execute: async () => {
          const sent = send();
          void sent.catch(() => {});
          await vi.waitFor(async () => expect(await store.inbox?.(id)).toHaveLength(1), 10_000);
          return 'ok';
        },
      }),
    ],
    store,
    log: 'silent',
  });
  onTestFinished(async () => {
    await agent.close();
    await store.close?.();
  });
  const editor = await connectEditor(() => ({ agent, store, directory: cwd }));
  const { sessionId: id } = await editor.agent.request('session/new', { cwd, mcpServers: [] });
  let second: Promise<{ stopReason: string }> | undefined;
  send = () => (second = editor.agent.request('session/prompt', { sessionId: id, prompt: text('Two') }));
  const first = await editor.agent.request('session/prompt', { sessionId: id, prompt: text('One') });
  expect([first.stopReason, (await second)?.stopReason]).toEqual(['end_turn', 'end_turn']);
  const view = await agent.session(id);
  expect(view?.messages.filter(({ role }) => role === 'user')).toHaveLength(2);
});
