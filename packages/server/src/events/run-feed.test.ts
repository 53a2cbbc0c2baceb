import { memoryStore, ShallotError } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import { submitRun } from '@shallot/core/work';
import { expect, test } from 'vitest';

import { LiveEvents } from './live-events.ts';
import { RunFeed, type FeedNews } from './run-feed.ts';

const textOf = ({ events }: FeedNews): string => events.map(({ text }) => text).join('');

test('a step that is followed again, because the store was away, is taken back first', async () => {
  const store = memoryStore();
  let isAway = false;
  const failing: Store = {
    ...store,
    list(filter) {
      if (isAway) throw new ShallotError('STORE_FAILED', { message: 'It is away.' });
      return store.list(filter);
    },
  };
  const runId = await submitRun(store, 'a', 'Hi');
  const live = new LiveEvents();
  live.take('a', { type: 'run-start', runId, sessionId: 'a', resumed: false });
  live.take('a', { type: 'step-start', step: 1 });
  live.take('a', { type: 'text-delta', index: 0, text: 'Hel' });
  const feed = new RunFeed('a', runId);
  const stop = new AbortController();
  const codes: unknown[] = [];
  const terms = {
    signal: stop.signal,
    onError: (error: unknown) => codes.push(error instanceof ShallotError && error.code),
  };

  const first = feed.follow(live, failing, terms);
  await expect.poll(() => textOf(feed.after(undefined))).toMatch(/Hel/);
  const { at } = feed.after(undefined);
  isAway = true;
  live.wake('a');
  await first;
  expect(codes).toEqual(['STORE_FAILED']);

  isAway = false;
  const second = feed.follow(live, failing, terms);
  await expect.poll(() => textOf(feed.after(at))).toMatch(/Hel/);
  const types = Array.from(textOf(feed.after(at)).matchAll(/^event: (.+)$/gm), ([, type]) => type);
  expect(types).toEqual(['restart', 'step-start', 'text-delta']);
  stop.abort();
  await second;
});

test('a client that lags behind a full log gets the step in progress again', async () => {
  const store = memoryStore();
  const runId = await submitRun(store, 'a', 'Hi');
  const live = new LiveEvents();
  const stop = new AbortController();
  const feed = new RunFeed('a', runId);
  live.take('a', { type: 'run-start', runId, sessionId: 'a', resumed: false });
  live.take('a', { type: 'step-start', step: 1 });
  const following = feed.follow(live, store, { signal: stop.signal, onError: () => undefined });
  await expect.poll(() => feed.after(undefined).events.length).toBe(1);
  const { at } = feed.after(undefined);
  for (let count = 0; count < 5000; count += 1)
    live.take('a', { type: 'text-delta', index: 0, text: `${count} ` });
  await expect.poll(() => feed.after(undefined).events.length).toBe(5001);
  const types = feed.after(at).events.map(({ event }) => event.type);
  expect([types[0], types[1], types.length]).toEqual(['restart', 'step-start', 5002]);
  // One that is in the log goes on in it.
  expect(feed.after(feed.after(at).at).events).toEqual([]);
  stop.abort();
  await following;
});
