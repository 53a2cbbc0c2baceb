import { createAgent, defineTool, memoryStore } from '@shallot/core';
import subagents from '@shallot/plugin-subagents';
import { scriptedModel } from '@shallot/testing';
import { expect, it, vi } from 'vitest';

import { keys } from '../../test/chat/chat.ts';
import { fakeDesk } from '../../test/chat/fake-desk.ts';
import { screenText } from '../../test/chat/screen.ts';
import { Chat } from './chat.ts';
import { commandAtOnce } from './slash-commands.ts';

const look = defineTool({
  name: 'look',
  title: 'Look around',
  description: 'Looks.',
  input: { type: 'object' },
  effect: 'read',
  execute: () => 'a hive',
});

/** A chat whose message is delegated to a subagent, which waits before its first step is over. */
async function delegate() {
  const terminal = fakeDesk();
  const gate = Promise.withResolvers<void>();
  const reader = scriptedModel([
    async () => {
      await gate.promise;
      return { toolCalls: [{ name: 'look' }] };
    },
    { text: 'There is a hive.' },
  ]);
  const model = scriptedModel([
    { toolCalls: [{ name: 'task', args: { agent: 'reader', prompt: 'Look.' } }] },
    { text: 'That is all.' },
  ]);
  const store = memoryStore();
  const plugins = [subagents({ agents: [{ name: 'reader', description: 'Reads.', model: reader }] })];
  const agent = await createAgent({ model, plugins, tools: [look], store, log: 'silent' });
  const chat = new Chat({
    opened: { agent, store, reload: () => Promise.reject(new Error('It is not reloaded.')) },
    sessionId: 'talk',
    onCommands: () => undefined,
    commandAtOnce,
    screen: terminal.screen,
    options: {},
    desk: terminal.desk,
  });
  const sent = chat.send('What is there?', 'What is there?');
  await vi.waitFor(() => expect(reader.requests).toHaveLength(1));
  const seen = (text: string | RegExp): Promise<void> =>
    vi.waitFor(() => expect(screenText(terminal.shown())).toMatch(text));
  const close = async (): Promise<void> => {
    terminal.end();
    await agent.close();
  };
  return { ...terminal, chat, close, gate, model, reader, seen, sent };
}

it('lists the subagents of a run in progress, and stops one after its step', async () => {
  const talk = await delegate();
  await talk.press(`/agents${keys.enter}`, 10);
  await talk.seen(/- child_\S+ {2}reader, running/);
  const [child = ''] = /child_\S+/.exec(screenText(talk.shown())) ?? [];
  await talk.press(`/agents stop child_other${keys.enter}`, 10);
  await talk.seen('No subagent child_other is working');
  await talk.press(`/agents stop ${child.slice(0, -3)}${keys.enter}`, 10);
  await talk.seen('stops after its step');
  talk.gate.resolve();
  expect(await talk.sent).toBe(0);
  expect(talk.reader.requests).toHaveLength(1);
  expect(JSON.stringify(talk.model.requests[1]?.messages)).toContain('did not finish');
  await talk.close();
});

it('shows what a subagent is doing', async () => {
  const talk = await delegate();
  talk.gate.resolve();
  expect(await talk.sent).toBe(0);
  expect(screenText(talk.shown())).toContain('reader: Look around');
  await talk.close();
});
