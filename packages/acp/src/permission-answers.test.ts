import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { JsonObject } from '@shallot/core';
import { pendingInterrupts } from '@shallot/core/work';
import filesystem from '@shallot/plugin-filesystem';
import hitl from '@shallot/plugin-hitl';
import { expect, it } from 'vitest';

import { speakWith, type RawEditor } from '../test/raw-editor.ts';
import { newWorld } from '../test/world.ts';

const write = {
  toolCalls: [{ id: 'w', name: 'write_file', args: { path: '/a.txt', content: 'A' } }],
} as const;

const isPermission = ({ method }: JsonObject): boolean => method === 'session/request_permission';

/** The answer of an editor to a permission. */
function selected({ id = null }: JsonObject, optionId: string): JsonObject {
  return { id, result: { outcome: { outcome: 'selected', optionId } } };
}

/** Sends a prompt whose run asks for a permission. */
async function askedFor() {
  const world = newWorld([filesystem(), hitl({ tools: { write_file: true } })]);
  const editor = speakWith(await world.serve([write, { text: 'Done.' }, { text: 'Noted.' }]));
  await editor.request(1, 'initialize', { protocolVersion: 1 });
  const { result } = await editor.request(2, 'session/new', { cwd: world.cwd, mcpServers: [] });
  // The answer to this request has it.
  const { sessionId } = result as { readonly sessionId: string };
  editor.send({
    id: 3,
    method: 'session/prompt',
    params: { sessionId, prompt: [{ type: 'text', text: 'Write' }] },
  });
  const permission = await editor.hear(isPermission);
  return { ...world, editor, sessionId, permission, file: join(world.cwd, 'a.txt') };
}

/** Waits for the end of the first prompt. */
function endOf(editor: RawEditor): Promise<JsonObject> {
  return editor.hear(({ id, method }) => id === 3 && method === undefined);
}

it.each([
  ['allow', 'reject', true],
  ['reject', 'allow', false],
])('takes the first of two answers to a permission: %s, then %s', async (first, second, isWritten) => {
  const { editor, permission, file, store, sessionId } = await askedFor();
  editor.send(selected(permission, first));
  editor.send(selected(permission, second));
  expect(await endOf(editor)).toMatchObject({ result: { stopReason: 'end_turn' } });
  editor.send(selected(permission, second));
  const listed = await editor.request(4, 'session/list', {});
  expect(listed).toMatchObject({ result: { sessions: [{ sessionId }] } });
  expect(existsSync(file)).toBe(isWritten);
  expect(await pendingInterrupts(store, sessionId)).toEqual([]);
  const ends = editor.heard.filter((message) =>
    /"toolCallId":"w","status":"(?:completed|failed)"/.test(JSON.stringify(message)),
  );
  expect(ends).toHaveLength(1);
});

it('executes nothing for an answer that comes after a cancel, and asks again', async () => {
  const { editor, permission, file, store, sessionId } = await askedFor();
  editor.send({ method: 'session/cancel', params: { sessionId } });
  expect(await endOf(editor)).toMatchObject({ result: { stopReason: 'cancelled' } });
  editor.send(selected(permission, 'allow'));
  await editor.request(4, 'session/list', {});
  await sleep(50);
  expect(existsSync(file)).toBe(false);
  expect(await pendingInterrupts(store, sessionId)).toHaveLength(1);
  const prompt = editor.request(5, 'session/prompt', { sessionId, prompt: [{ type: 'text', text: 'And?' }] });
  const again = await editor.hear((message) => isPermission(message) && message !== permission);
  editor.send(selected(again, 'allow'));
  expect(await prompt).toMatchObject({ result: { stopReason: 'end_turn' } });
  expect(readFileSync(file, 'utf8')).toBe('A');
});
