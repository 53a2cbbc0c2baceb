import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { sqliteStore } from '../sqlite/index.ts';
import { makeDirectory } from './make-directory.ts';

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-directory-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it('makes a directory with all above it, once', () => {
  const path = join(temporary(), 'a', 'b', 'c');
  makeDirectory(path);
  makeDirectory(path);
  expect(existsSync(path)).toBe(true);
});

it('refuses what stands below a file', () => {
  const folder = temporary();
  writeFileSync(join(folder, 'file'), '');
  expect(() => makeDirectory(join(folder, 'file', 'a'))).toThrow('EEXIST');
});

it.runIf(existsSync('/proc/self'))('ends where a file system takes no directories', async () => {
  expect(() => makeDirectory('/proc/shallot/data')).toThrow('ENOENT');
  const store = sqliteStore('/proc/shallot/data/sessions.db');
  const claim = { owner: 'o', host: 'h', pid: 1, processStarted: 0, until: 1 };
  await expect(store.commit('s', 0, { claim } as never)).rejects.toMatchObject({ code: 'STORE_FAILED' });
});
