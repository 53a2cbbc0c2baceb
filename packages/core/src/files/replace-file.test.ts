import {
  chmodSync,
  chownSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getuid } from 'node:process';

import { expect, it } from 'vitest';

import { diskFiles } from './disk-files.ts';

function rootWith(content: string) {
  const root = mkdtempSync(join(tmpdir(), 'replace-'));
  const file = join(root, 'a.txt');
  writeFileSync(file, content);
  return { root, file, files: diskFiles(root) };
}

it('a file that is written anew keeps its owner, its group and all of its mode', async () => {
  const { file, files } = rootWith('old');
  // Only root may give files away.
  const id = getuid?.() === 0 ? 12_345 : (getuid?.() ?? 0);
  chownSync(file, id, id);
  chmodSync(file, 0o4750);
  await files.write('/a.txt', 'new');
  const { uid, gid, mode } = statSync(file);
  expect([uid, gid, mode & 0o7777]).toEqual([id, id, 0o4750]);
  expect(readFileSync(file, 'utf8')).toBe('new');
});

it('a file with several links is written in place, so that all of them show the change', async () => {
  const { root, file, files } = rootWith('old and longer');
  linkSync(file, join(root, 'b.txt'));
  const before = await files.stat('/a.txt');
  expect(before?.links).toBe(2);
  const revision = await files.write('/a.txt', 'new', { ifRevision: before?.revision ?? '' });
  expect(readFileSync(join(root, 'b.txt'), 'utf8')).toBe('new');
  expect(await files.stat('/b.txt')).toMatchObject({ size: 3, revision, links: 2 });
  expect(revision).not.toBe(before?.revision);
  await expect(files.write('/b.txt', 'x', { ifRevision: before?.revision ?? '' })).rejects.toMatchObject({
    code: 'FILE_CONFLICT',
  });
  expect(readFileSync(file, 'utf8')).toBe('new');
  expect(readdirSync(root)).toEqual(['a.txt', 'b.txt']);
});
