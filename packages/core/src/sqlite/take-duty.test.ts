import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, expect, it, onTestFinished, vi } from 'vitest';

import { sqliteStore } from './sqlite-store.ts';

afterEach(() => void vi.useRealTimers());

const period = 24_000;

/** Asks for a duty with some terms at a time. */
function asking() {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-duty-'));
  const store = sqliteStore(join(folder, 'sessions.db'));
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  vi.useFakeTimers({ toFake: ['Date'] });
  return async (at: number, terms = 'a', duty = 'delete') => {
    vi.setSystemTime(1_000_000 + at);
    return store.takeDuty?.(duty, terms, period);
  };
}

it('a duty is taken by terms that were heard for a 24th of the period', async () => {
  const ask = asking();
  expect(await ask(0)).toEqual({ isTaken: false, terms: ['a'] });
  expect(await ask(999)).toEqual({ isTaken: false, terms: ['a'] });
  expect(await ask(1000)).toEqual({ isTaken: true, terms: ['a'] });
});

it('a duty is taken once in a period, whatever the terms, and others beside it', async () => {
  const ask = asking();
  const ready = [await ask(0), await ask(0, 'b'), await ask(0, 'a', 'other')];
  expect(ready.map((taken) => taken?.isTaken)).toEqual([false, false, false]);
  expect(await ask(1000)).toMatchObject({ isTaken: true });
  expect(await ask(1000, 'a', 'other')).toEqual({ isTaken: true, terms: ['a'] });
  expect(await ask(1000, 'b')).toMatchObject({ isTaken: false });
  expect(await ask(1000 + period - 1, 'b')).toMatchObject({ isTaken: false });
  expect(await ask(1000 + period, 'b')).toMatchObject({ isTaken: true });
});

it('terms that nobody asks with any more are forgotten after two periods', async () => {
  const ask = asking();
  await ask(0, 'b');
  expect(await ask(2 * period, 'a')).toMatchObject({ terms: ['a', 'b'] });
  expect(await ask(2 * period + 1, 'a')).toMatchObject({ terms: ['a'] });
  expect(await ask(3 * period, 'a', 'other')).toMatchObject({ terms: ['a'] });
  expect(await ask(3 * period, 'c')).toMatchObject({ terms: ['a', 'c'] });
});
