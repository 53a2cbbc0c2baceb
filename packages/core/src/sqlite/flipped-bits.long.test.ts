import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { messages, runRecord, withoutTimes } from '../../../testing/src/store/store-samples.ts';
import { isShallotError } from '../base/errors.ts';
import type { JournalEntry } from '../contract/store.ts';
import { sqliteStore } from './sqlite-store.ts';

const flips = 2000;
const sessions = ['a', 'b', 'c'];
/** By its first page, an altered file may be one of a newer version, or of another program. */
const refusals: readonly unknown[] = ['STORE_DAMAGED', 'STORE_FORMAT', 'STORE_FAILED'];

test('a flipped bit is named, or changes nothing, in a database that is mostly journal and state', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-flips-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'sessions.db');
  const made = sqliteStore(path);
  for (const sessionId of sessions) {
    const entries = Array.from({ length: 150 }, (_, n): [string, JournalEntry] => [
      `call:${n}:0`,
      { type: 'intent', id: `execution-${n}` },
    ]);
    const state = Array.from({ length: 60 }, (_, n) => [`key${n}`, { version: 1, value: n }] as const);
    await made.commit(sessionId, 0, {
      append: messages('1', '2', '3'),
      journal: Object.fromEntries(entries),
      state: { plugin: Object.fromEntries(state) },
      run: runRecord('r', 'running'),
    });
  }
  await made.close();
  const good = readFileSync(path);

  const load = async (sessionId: string): Promise<unknown> => {
    const store = sqliteStore(path);
    try {
      return withoutTimes(await store.load(sessionId));
    } catch (error) {
      return isShallotError(error) ? error.code : error;
    } finally {
      await store.close();
    }
  };
  const whole = new Map<string, unknown>();
  for (const sessionId of sessions) whole.set(sessionId, await load(sessionId));
  let named = 0;
  for (let flip = 0; flip < flips; flip += 1) {
    // A prime step visits bytes all over the file, and each bit of a byte in its turn.
    const at = (flip * 7919) % good.length;
    const bytes = Buffer.from(good);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (flip % 8)), at);
    writeFileSync(path, bytes);
    for (const sessionId of sessions) {
      const loaded = await load(sessionId);
      const expected = [whole.get(sessionId), ...refusals];
      expect(expected, `bit ${flip % 8} of byte ${at}`).toContainEqual(loaded);
      if (refusals.includes(loaded)) named += 1;
      for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    }
  }
  expect(named).toBeGreaterThan(flips / 4);
}, 600_000);
