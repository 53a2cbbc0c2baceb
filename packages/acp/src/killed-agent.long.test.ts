import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';

import { client, ndJsonStream, type SessionUpdate } from '@agentclientprotocol/sdk';
import { textOf } from '@shallot/core';
import { sqliteStore } from '@shallot/core/sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';

import { faultsOfCalls } from '../test/wire-log.ts';
import { newDirectory, ofType, text } from '../test/world.ts';

interface KilledEditorOptions {
  /** The number of messages from the agent after which it is killed. Default: never. */
  readonly killAfter?: number;
}

/** Starts the agent in a process of its own, which is killed after some messages of the prompt, dialogs included. */
function startAgent(directory: string, { killAfter = Infinity }: KilledEditorOptions = {}) {
  const program = join(import.meta.dirname, '../test/programs/agent.ts');
  const child = spawn(process.execPath, ['--no-warnings', program, directory], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const updates: SessionUpdate[] = [];
  let heard = 0;
  let dialogs = 0;
  let isCounting = false;
  const hear = (): boolean => {
    if (isCounting) heard += 1;
    if (heard < killAfter) return true;
    child.kill('SIGKILL');
    return false;
  };
  const { agent } = client({ name: 'test' })
    .onNotification('session/update', ({ params }) => {
      if (hear()) updates.push(params.update);
    })
    .onRequest('session/request_permission', () => {
      dialogs += 1;
      if (!hear()) return new Promise<never>(() => {});
      return { outcome: { outcome: 'selected', optionId: 'allow' } };
    })
    .connect(
      ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>),
    );
  return {
    agent,
    updates,
    heard: () => heard,
    dialogs: () => dialogs,
    count: () => (isCounting = true),
    ended: once(child, 'close'),
    stop: async () => {
      child.stdin.end();
      await once(child, 'close');
    },
  };
}

async function recordOf(directory: string, sessionId: string) {
  const store = sqliteStore(join(directory, 'sessions.db'));
  const record = await store.load(sessionId);
  await store.close?.();
  return record;
}

function said(updates: readonly SessionUpdate[], type: 'user_message_chunk' | 'agent_message_chunk'): string {
  return ofType(updates, type)
    .map(({ content }) => (content.type === 'text' ? content.text : ''))
    .join('');
}

/** Begins a session, prompts, and lets the agent be killed. Returns the messages heard until the end, if it lived. */
async function play(directory: string, killAfter?: number) {
  const editor = startAgent(directory, killAfter === undefined ? {} : { killAfter });
  await editor.agent.request('initialize', { protocolVersion: 1 });
  const { sessionId } = await editor.agent.request('session/new', { cwd: directory, mcpServers: [] });
  await vi.waitFor(() => expect(ofType(editor.updates, 'available_commands_update')).toHaveLength(1), 60_000);
  editor.count();
  const answered = editor.agent.request('session/prompt', { sessionId, prompt: text('write') });
  if (killAfter === undefined) {
    await answered;
    await editor.stop();
  } else {
    await Promise.all([answered.catch(() => undefined), editor.ended]);
  }
  return { sessionId, heard: editor.heard() };
}

it('loads what was said, and asks the open question again, after a kill between any two messages', async () => {
  const { heard } = await play(newDirectory());
  expect(heard).toBeGreaterThan(5);
  for (let killAfter = 1; killAfter <= heard; killAfter += 1) {
    const directory = newDirectory();
    const { sessionId } = await play(directory, killAfter);
    const before = await recordOf(directory, sessionId);
    expect(before, `killed after ${killAfter}`).toBeDefined();
    const stored = (role: string): string =>
      (before?.messages ?? [])
        .filter((message) => message.role === role)
        .map((each) => textOf(each))
        .join('');
    const isAsked = before?.run?.status === 'interrupted';

    const editor = startAgent(directory);
    await editor.agent.request('initialize', { protocolVersion: 1 });
    await editor.agent.request('session/load', { sessionId, cwd: directory, mcpServers: [] });
    expect(said(editor.updates, 'user_message_chunk')).toBe('write');
    expect(said(editor.updates, 'agent_message_chunk')).toBe(stored('assistant'));
    await vi.waitFor(() => expect(editor.dialogs()).toBe(isAsked ? 1 : 0), 60_000);
    await editor.agent.request('session/prompt', { sessionId, prompt: text('go on') });
    expect(faultsOfCalls(editor.updates, true), `killed after ${killAfter}`).toEqual([]);
    await editor.stop();
    expect(await recordOf(directory, sessionId)).toMatchObject({ run: { status: 'completed' } });
    // A call that was stored is executed, whoever goes on.
    const isCalled = JSON.stringify(before?.messages).includes('write_file');
    expect(existsSync(join(directory, 'files/1-a.txt')), `killed after ${killAfter}`).toBe(isCalled);
  }
}, 1_200_000);
