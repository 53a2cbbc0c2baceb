import { memoryStore } from '@shallot/core';
import { submitRun } from '@shallot/core/work';
import { expect, test } from 'vitest';

import { eventStream } from './event-stream.ts';
import { LiveEvents } from './live-events.ts';
import { RunFeed } from './run-feed.ts';

test('a client that has not read for long gets what it missed in small pieces', async () => {
  const store = memoryStore();
  const runId = await submitRun(store, 'a', 'Hi');
  const live = new LiveEvents();
  const stop = new AbortController();
  const feed = new RunFeed('a', runId);
  live.take('a', { type: 'run-start', runId, sessionId: 'a', resumed: false });
  live.take('a', { type: 'step-start', step: 1 });
  const following = feed.follow(live, store, { signal: stop.signal, onError: () => undefined });
  const text = 'x'.repeat(10_000);
  for (let index = 0; index < 1000; index += 1) live.take('a', { type: 'text-delta', index: 0, text });
  await expect.poll(() => feed.after(undefined).events.length).toBe(1001);

  const terms = { at: undefined, heartbeatMs: 60_000, signal: stop.signal, onEnd: () => undefined };
  const { body } = eventStream(feed, terms);
  const reader = body?.getReader();
  const read = async (): Promise<string> => Buffer.from((await reader?.read())?.value ?? []).toString();
  const events: unknown[] = [];
  while (events.length < 1001) {
    const piece = await read();
    expect(piece.length).toBeLessThan(1_000_000);
    for (const [, type] of piece.matchAll(/^event: (.+)$/gm)) events.push(type);
  }
  expect(events).toEqual(['step-start', ...Array.from({ length: 1000 }, () => 'text-delta')]);
  stop.abort();
  await following;
});
