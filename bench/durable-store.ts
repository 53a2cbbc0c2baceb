// Runs in its own process: `node durable-store.ts`. Measures the wall milliseconds of operations of the SQLite store
// alone.
import type { Message } from '@shallot/core';
import { sqliteStore, type SqliteStore } from '@shallot/core/sqlite';
import type { Store } from '@shallot/core/store';

import { median } from './measures/samples.ts';
import { temporaryFile } from './temporary-file.ts';

const samples = 200;

const shortMs = await withStore((store) => timeCommits(store, 10));
const longMs = await withStore((store) => timeCommits(store, 10_000));
const listMs = await withStore((store) => timeListing(store, 10_000));
process.stdout.write(`\n${JSON.stringify({ shortMs, longMs, listMs, growth: longMs / shortMs })}\n`);

async function withStore(work: (store: SqliteStore) => Promise<number>): Promise<number> {
  const store = sqliteStore(temporaryFile('sessions.db'));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/**
 * Returns the milliseconds of one durable commit of two messages and a journal entry, in a session with `messages`
 * messages.
 */
async function timeCommits(store: Store, messages: number): Promise<number> {
  let revision = await store.commit('bench', 0, { append: conversation(0, messages) });
  const times: number[] = [];
  for (let sample = 0; sample < samples; sample += 1) {
    const append = conversation(messages + sample * 2, 2);
    const started = performance.now();
    revision = await store.commit('bench', revision, {
      append,
      journal: { [`once:${sample}`]: { type: 'once', value: sample } },
    });
    times.push(performance.now() - started);
  }
  return median(times);
}

/** Returns the milliseconds that listing the first page takes among `sessions` sessions. */
async function timeListing(store: Store, sessions: number): Promise<number> {
  for (let session = 0; session < sessions; session += 1) await store.commit(`session-${session}`, 0, {});
  const started = performance.now();
  await take(store, 20);
  return performance.now() - started;
}

async function take(from: Store, count: number): Promise<void> {
  let left = count;
  for await (const _ of from.list()) {
    left -= 1;
    if (left === 0) return;
  }
}

function conversation(from: number, count: number): Message[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `m${from + index}`,
    role: 'user' as const,
    content: [{ type: 'text' as const, text: `Message ${from + index} of a conversation.` }],
  }));
}
