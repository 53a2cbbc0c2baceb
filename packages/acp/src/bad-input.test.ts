import { tmpdir } from 'node:os';
import { PassThrough } from 'node:stream';

import type { JsonObject, JsonValue } from '@shallot/core';
import { expect, it } from 'vitest';

import { connectEditor } from '../test/editor.ts';
import { speakWith } from '../test/raw-editor.ts';
import { newWorld, text } from '../test/world.ts';
import { serveAcp } from './index.ts';

/** Sends these lines, and returns the answers. */
async function speak(lines: readonly (JsonObject | string)[]): Promise<readonly JsonObject[]> {
  const { cwd, serve } = newWorld();
  const { heard, send } = speakWith(await serve([{ text: 'Hello.' }]));
  const answers = (): JsonObject[] => heard.filter((message) => 'id' in message);
  for (const line of lines)
    send(typeof line === 'string' ? line : JSON.stringify(line).replaceAll('CWD', cwd));
  const wanted = lines.filter((line) => typeof line === 'string' || 'id' in line).length;
  await expect.poll(() => answers().length, { timeout: 20_000 }).toBeGreaterThanOrEqual(wanted);
  return answers();
}

function request(id: number, method: string, params: JsonObject = {}): JsonObject {
  return { jsonrpc: '2.0', id, method, params };
}

const initialize = request(1, 'initialize', { protocolVersion: 1 });

it('answers a version that does not exist with its own, and a method that is not there with an error', async () => {
  const answers = await speak([
    request(1, 'initialize', { protocolVersion: 999 }),
    request(2, 'session/fly'),
    request(3, 'session/prompt', { sessionId: 'none', prompt: text('Hi') as JsonValue[] }),
    request(4, 'session/new', { cwd: 7 }),
  ]);
  expect(answers.toSorted((a, b) => Number(a['id']) - Number(b['id']))).toMatchObject([
    { id: 1, result: { protocolVersion: 1 } },
    { id: 2, error: { code: -32_601 } },
    { id: 3, error: { code: -32_002, data: { code: 'SESSION_NOT_FOUND' } } },
    { id: 4, error: { code: -32_602 } },
  ]);
});

it('lives on after lines that are no requests, and answers repeated ids each', async () => {
  const answers = await speak([
    initialize,
    '{"jsonrpc":',
    request(5, 'session/list'),
    request(5, 'session/list'),
    request(6, 'session/new', { cwd: tmpdir(), mcpServers: [] }),
  ]);
  const of = (id: number) => answers.filter((answer) => answer['id'] === id);
  expect(of(5)).toHaveLength(2);
  expect(of(6)).toMatchObject([{ result: { sessionId: expect.any(String) as unknown } }]);
});

it('refuses a prompt of ten megabytes, and answers the next', async () => {
  const sessions = newWorld();
  const served = await sessions.serve([{ text: 'Hello.' }]);
  const { agent, said } = await connectEditor(served);
  const { sessionId } = await agent.request('session/new', { cwd: sessions.cwd, mcpServers: [] });
  await expect(
    agent.request('session/prompt', { sessionId, prompt: text('x'.repeat(10_000_000)) }),
  ).rejects.toMatchObject({ data: { code: 'MESSAGE_INVALID' } });
  await agent.request('session/prompt', { sessionId, prompt: text('Hi') });
  expect(said()).toBe('Hello.');
});

it('ends when its input is closed at once', async () => {
  const { serve } = newWorld();
  const served = await serve([]);
  const input = new PassThrough();
  input.end();
  const connection = serveAcp({
    served,
    program: { name: 'test', version: '0' },
    input,
    output: new PassThrough(),
  });
  await expect(connection.closed).resolves.toBeUndefined();
});
