import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { textOf, type AgentEvent, type AssistantMessage, type ToolMessage } from '@shallot/core';
import { loadAgent } from '@shallot/core/config';
import { parseHistory } from '@shallot/plugin-summarization';
import { collectEvents } from '@shallot/testing';
import { expect, it, onTestFinished } from 'vitest';

import { chapter } from './chapter.ts';
import { turns } from './turns.ts';

const contextTokens = 6000;

function copyExample(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-long-chat-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const generated = new Set(['node_modules', '.shallot']);
  cpSync(import.meta.dirname, folder, { recursive: true, filter: (path) => !generated.has(basename(path)) });
  symlinkSync(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'), 'dir');
  return folder;
}

/** The conversation, with what was said as its consumers saw it: before anything could be cut or dropped. */
async function talk(folder: string) {
  const { agent } = await loadAgent({ cwd: folder });
  const events: AgentEvent[] = [];
  const said: (string | AssistantMessage | ToolMessage)[] = [];
  for (const text of turns) {
    const collected = await collectEvents(agent.stream(text, { sessionId: 'novel' }));
    if (collected.error !== undefined) throw collected.error as Error;
    events.push(...collected.events);
    said.push(text, ...collected.events.flatMap(messageOf));
  }
  const messages = (await agent.session('novel'))?.messages ?? [];
  await agent.close();
  const file = readFileSync(join(folder, '.shallot/conversation_history/novel.md'), 'utf8');
  const history = parseHistory(file).sections.flatMap((section) => section.messages);
  return { events, said, messages, history };
}

function messageOf(event: AgentEvent): (AssistantMessage | ToolMessage)[] {
  return event.type === 'message' || event.type === 'tool-end' ? [event.message] : [];
}

function happened(events: readonly AgentEvent[], name: string): unknown[] {
  return events.flatMap((event) => (event.type === 'plugin' && event.name === name ? [event.data] : []));
}

/** A message as the file has it: who says it, and every word. */
function rendered(message: string | AssistantMessage | ToolMessage): string {
  if (typeof message === 'string') return `### user\n\n${message}`;
  if (message.role === 'tool') return `### result of ${message.name} ${message.callId}\n\n${textOf(message)}`;
  const parts = message.content.map((part) => {
    if (part.type === 'text') return part.text;
    return part.type === 'tool-call'
      ? `Call of ${part.name} ${part.id}:\n${JSON.stringify(part.input, null, 2)}`
      : part.type;
  });
  return `### assistant\n\n${parts.join('\n\n')}`;
}

it('is never too long for the model, because it is truncated and summarized several times', async () => {
  const { events, messages } = await talk(copyExample());
  expect(happened(events, 'truncated').length).toBeGreaterThan(2);
  const summaries = happened(events, 'summarized');
  expect(summaries.length).toBeGreaterThan(1);
  // It is before a request, not after its refusal, that room is made.
  expect(summaries).toEqual(summaries.map(() => expect.objectContaining({ reason: 'size' }) as unknown));
  expect(events.filter(({ type }) => type === 'warning')).toEqual([]);
  const requests = events.flatMap((event) => (event.type === 'message' ? [event.usage?.input ?? 0] : []));
  expect(requests).toHaveLength(41);
  expect(Math.max(...requests)).toBeLessThanOrEqual(contextTokens);
  expect(Math.max(...requests)).toBeGreaterThan(contextTokens * 0.6);
  expect(messages.filter(({ source }) => source === 'summarization')).toHaveLength(1);
  expect(textOf(messages.at(-1) ?? { content: [] })).toBe('The dog is called Biscuit.');
});

it('is in the file: every message once, in order, and whole', async () => {
  const { said, messages, history } = await talk(copyExample());
  const ids = history.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(history.map(({ text }) => text)).toEqual(said.slice(0, ids.length).map(rendered));
  // Messages that are not in the file are in the session, after it.
  const rest = messages.filter(({ id, source }) => source === undefined && !ids.includes(id));
  expect(rest.map((message) => textOf(message))).toEqual(
    said.slice(ids.length).map((message) => (typeof message === 'string' ? message : textOf(message))),
  );
  // The arguments of old calls, which were cut in the session, are among it.
  expect(history.filter(({ text }) => text.includes(JSON.stringify(chapter(3)))).length).toBe(1);
});

it('is told of by npm start', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', 'start.ts'], {
    cwd: copyExample(),
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  expect(stdout).toMatch(/summarized .*\n[\s\S]*summarized .*\n[\s\S]*The dog is called Biscuit\./);
});
