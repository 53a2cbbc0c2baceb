import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, it } from 'vitest';

import { keptKey } from './kept-key.ts';

const folder = mkdtempSync(join(tmpdir(), 'shallot-key-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('is made on first use, and the same from then on', () => {
  const path = join(folder, 'key');
  const key = keptKey(path);
  expect(() => readFileSync(path)).toThrow('ENOENT');
  expect(key()).toMatch(/^[\w-]{43}$/);
  expect(keptKey(path)()).toBe(key());
});

it('is not read from a file that others can read, but on Windows, where the mode does not say', () => {
  const path = join(folder, 'open');
  const secret = 'k'.repeat(43);
  writeFileSync(path, secret);
  chmodSync(path, 0o644);
  for (const platform of ['linux', 'darwin'] as const)
    expect(() => keptKey(path, platform)).toThrow(`Run chmod 600 ${path}.`);
  expect(keptKey(path, 'win32')()).toBe(secret);
});
