import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { memoryStore, textOf } from '@shallot/core';
import { sqliteStore } from '@shallot/core/sqlite';
import { expect, onTestFinished, test } from 'vitest';

import { breakingProxy } from '../test/breaking-proxy.ts';
import { agentOf, serve, stepsOf } from '../test/served-agent.ts';
import { createClient } from './create-client.ts';
import type { RunStream } from './run-stream.ts';

/** Reads a run to its end. Returns the number of each event that the server has numbered. */
async function numbersOf(stream: RunStream): Promise<readonly number[]> {
  const numbers: number[] = [];
  let { place } = stream;
  for await (const event of stream) {
    expect(event.type).not.toBe('reload');
    if (stream.place !== place) numbers.push(Number(stream.place?.split('.')[1]));
    place = stream.place;
  }
  return numbers;
}

/** Numbers from a seed, the same in each run of the test. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647);
}

test('no event is lost or doubled where connections break at random', async () => {
  const store = memoryStore();
  const { url, close } = await serve(await agentOf(store, stepsOf(30)), store);
  onTestFinished(close);
  const next = numbers(5);
  await using proxy = await breakingProxy(url, () => 300 + (next() % 4000));
  const client = createClient({ url: proxy.url });
  // Requests and answers get lost as well, and the run is begun once.
  const begun = await client.stream('Look', { sessionId: 'a' });
  const others = await Promise.all(Array.from({ length: 2 }, () => client.follow('a')));
  const streams = [begun, ...others.filter((stream) => stream !== undefined)];
  for (const seen of await Promise.all(streams.map(numbersOf))) {
    // A client that comes later gets what was committed, and then each event.
    const gapless = seen.slice(seen.findIndex((number, index) => seen[index + 1] === number + 1));
    expect(gapless).toEqual(gapless.map((_, index) => (gapless[0] ?? 0) + index));
    expect(new Set(seen).size).toBe(seen.length);
  }
  const { messages = [] } = (await store.load('a')) ?? {};
  expect(messages.filter(({ role }) => role === 'user')).toHaveLength(1);
  for (const { state } of streams) expect(state).toMatchObject({ messages, end: { outcome: 'completed' } });
  expect(proxy.broken).toBeGreaterThan(40);
});

test('a restart of the server in the middle takes nothing from the reader', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-client-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const start = async (port = 0) => {
    const store = sqliteStore(join(folder, 'sessions.db'));
    const { url, close } = await serve(await agentOf(store, stepsOf(30)), store, port);
    return {
      url,
      store,
      async close() {
        await close();
        await store.close?.();
      },
    };
  };
  let running = await start();
  onTestFinished(() => running.close());
  const client = createClient({ url: running.url });
  const stream = await client.stream('Look', { sessionId: 'a' });
  let shown = '';
  const replaced: { readonly shown: string; readonly text: string }[] = [];
  let restarting: Promise<void> | undefined;
  const restart = async (): Promise<void> => {
    await running.close();
    running = await start(Number(new URL(running.url).port));
  };
  for await (const event of stream) {
    if (event.type === 'message' && event.message.role === 'assistant') {
      replaced.push({ shown, text: textOf(event.message) });
      if (stream.state.messages.length > 8) restarting ??= restart();
    }
    shown = stream.state.text;
  }
  await restarting;
  expect(replaced.filter(({ shown, text }) => !text.startsWith(shown))).toEqual([]);
  expect(stream.state.end).toMatchObject({ outcome: 'completed', steps: 30 });
  expect(stream.state.messages).toEqual((await running.store.load('a'))?.messages);
  expect(stream.state.messages).toHaveLength(60);
});
