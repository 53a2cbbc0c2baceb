// A process of its own: `node durable-store.ts commit MESSAGES` or `node durable-store.ts list SESSIONS`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Message } from '@shallot/core';
import { sqliteStore } from '@shallot/core/sqlite';
import type { Store } from '@shallot/core/store';

import { median } from './measures/samples.ts';

const samples = 200;

const [what, size] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'shallot-bench-store-'));
const store = sqliteStore(join(folder, 'sessions.db'));
try {
  const figures = what === 'list' ? await timeListing(Number(size)) : await timeCommits(Number(size));
  process.stdout.write(`\n${JSON.stringify(figures)}\n`);
} finally {
  await store.close?.();
  rmSync(folder, { recursive: true });
}

/** Milliseconds of one durable commit, of two messages and a journal entry, in a session of so many messages. */
async function timeCommits(messages: number): Promise<Record<string, number>> {
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
  return { wallMs: median(times) };
}

/** Milliseconds until the first page of so many sessions is there. */
async function timeListing(sessions: number): Promise<Record<string, number>> {
  for (let session = 0; session < sessions; session += 1) await store.commit(`session-${session}`, 0, {});
  const started = performance.now();
  await take(store, 20);
  return { wallMs: performance.now() - started };
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
