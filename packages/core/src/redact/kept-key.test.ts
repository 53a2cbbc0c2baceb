import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
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
    expect(() => keptKey(path, platform)).toThrow(`can be read by others (mode 644). Run chmod 600 ${path}.`);
  expect(keptKey(path, 'win32')()).toBe(secret);
});

it('lies in a file that only its owner can read, with nothing beside it', () => {
  const own = join(folder, 'own');
  mkdirSync(own);
  const path = join(own, 'key');
  const key = keptKey(path)();
  expect(readdirSync(own)).toEqual(['key']);
  expect(readFileSync(path, 'utf8')).toBe(`${key}\n`);
  expect(Buffer.from(key, 'base64url')).toHaveLength(32);
  expect(process.platform === 'win32' ? 0o600 : statSync(path).mode & 0o777).toBe(0o600);
});

it('lasts as long as the process where its directory is missing', () => {
  const [one, other] = [join(folder, 'none', 'key'), join(folder, 'none', 'other')];
  expect(keptKey(one)()).toBe(keptKey(other)());
  expect(existsSync(join(folder, 'none'))).toBe(false);
});

it('is that of another process which makes it at the same time', () => {
  const path = join(folder, 'shared');
  const [one, other] = [keptKey(path), keptKey(path)];
  expect(one()).toBe(other());
});

it.each([
  ['', 'is empty'],
  [' \n', 'is empty'],
  ['k'.repeat(42), 'does not hold a key of 43 characters in base64url'],
  [`${'k'.repeat(42)}+`, 'does not hold a key of 43 characters in base64url'],
])('is not taken from a file that holds %j', (content, words) => {
  const path = join(folder, 'wrong');
  writeFileSync(path, content, { mode: 0o600 });
  expect(() => keptKey(path)).toThrow(
    expect.objectContaining({ code: 'KEY_INVALID', message: expect.stringContaining(words) as string }),
  );
});

it('fails where it cannot be read, or made', () => {
  const directory = join(folder, 'directory');
  mkdirSync(directory);
  expect(() => keptKey(directory)).toThrow(`The key file ${directory} cannot be read: EISDIR`);
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const key = keptKey(join(file, 'key'));
  expect(key).toThrow(
    expect.objectContaining({
      code: 'KEY_INVALID',
      message: expect.stringContaining('cannot be made') as string,
    }),
  );
});
