import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { withFileLock } from './file-lock.ts';
import { OpenDirectory } from './open-directory.ts';

function makeRoot() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-lock-')));
  const directory = OpenDirectory.root(root);
  onTestFinished(() => {
    directory.close();
    rmSync(root, { recursive: true, force: true });
  });
  return { root, place: { directory, name: 'notes.md' } };
}

/** The name of the lock of `notes.md`. */
async function lockName(): Promise<string> {
  const { root, place } = makeRoot();
  return withFileLock(place, '/notes.md', () => readdirSync(root)[0] ?? '');
}

it('one writer at a time has a file', async () => {
  const { root, place } = makeRoot();
  const order: string[] = [];
  const write = (name: string) => async (): Promise<void> => {
    order.push(`${name} begins`);
    await Promise.resolve();
    order.push(`${name} ends`);
  };
  await Promise.all(['a', 'b'].map((name) => withFileLock(place, '/notes.md', write(name))));
  expect(order.map((line) => line.split(' ')[1])).toEqual(['begins', 'ends', 'begins', 'ends']);
  expect(readdirSync(root)).toEqual([]);
});

it('a lock is free again when its user fails', async () => {
  const { root, place } = makeRoot();
  const failing = withFileLock(place, '/notes.md', () => Promise.reject(new Error('full')));
  await expect(failing).rejects.toThrow('full');
  expect(readdirSync(root)).toEqual([]);
});

it('a lock whose process is gone is taken over, with what it left', async () => {
  const { root, place } = makeRoot();
  const gone = { owner: '0123456789abcdef', host: 'elsewhere', pid: 1, expiresAt: Date.now() - 1 };
  writeFileSync(join(root, await lockName()), JSON.stringify(gone));
  writeFileSync(join(root, `.shallot-${gone.owner}.tmp`), 'half');
  expect(await withFileLock(place, '/notes.md', () => 'written')).toBe('written');
  expect(readdirSync(root)).toEqual([]);
});

it('what cannot be read as a lock fails the writer at once', async () => {
  const { root, place } = makeRoot();
  mkdirSync(join(root, await lockName()));
  await expect(withFileLock(place, '/notes.md', () => 'written')).rejects.toThrow('EISDIR');
});
