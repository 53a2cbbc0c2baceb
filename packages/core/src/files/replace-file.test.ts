import {
  chmodSync,
  chownSync,
  closeSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
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

// Only root may give files away.
const isRoot = getuid?.() === 0;

it.runIf(isRoot).each([
  [12_345, 12_345],
  [12_345, 0],
  [0, 12_345],
])('a file that is written anew keeps its owner %i and its group %i', async (uid, gid) => {
  const { file, files } = rootWith('old');
  chownSync(file, uid, gid);
  await files.write('/a.txt', 'new');
  expect(statSync(file)).toMatchObject({ uid, gid });
});

it('a file that is written anew keeps all of its mode', async () => {
  const { file, files } = rootWith('old');
  chmodSync(file, 0o4750);
  await files.write('/a.txt', 'new');
  expect(statSync(file).mode & 0o7777).toBe(0o4750);
  expect(readFileSync(file, 'utf8')).toBe('new');
});

it('whoever has a file open reads it as it was, and finds a later time in the new one', async () => {
  const { file, files } = rootWith('old');
  const tomorrow = Date.now() / 1000 + 86_400;
  utimesSync(file, tomorrow, tomorrow);
  const before = statSync(file, { bigint: true });
  const fd = openSync(file, 'r');
  await files.write('/a.txt', 'new');
  expect(readFileSync(fd, 'utf8')).toBe('old');
  closeSync(fd);
  expect(statSync(file, { bigint: true }).mtimeNs).toBeGreaterThan(before.mtimeNs);
  const written = statSync(file, { bigint: true });
  await files.append('/a.txt', '!');
  expect(statSync(file, { bigint: true }).mtimeNs).toBeGreaterThan(written.mtimeNs);
});

it('a file that is not as expected stays as it is, with nothing beside it', async () => {
  const { root, file, files } = rootWith('old');
  await expect(files.write('/a.txt', 'new', { ifRevision: 'other' })).rejects.toMatchObject({
    code: 'FILE_CONFLICT',
  });
  linkSync(file, join(root, 'b.txt'));
  await expect(files.write('/a.txt', 'new', { ifRevision: 'other' })).rejects.toMatchObject({
    code: 'FILE_CONFLICT',
  });
  expect([readFileSync(file, 'utf8'), readdirSync(root)]).toEqual(['old', ['a.txt', 'b.txt']]);
});

it('a file that is removed and made again has another revision', async () => {
  const { files } = rootWith('old');
  const revision = await files.write('/a.txt', 'x');
  expect([await files.remove('/a.txt'), await files.remove('/a.txt')]).toEqual([true, false]);
  expect(await files.write('/a.txt', 'x')).not.toBe(revision);
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

it('a file with several links has another revision after each change, however quick and alike', async () => {
  const { root, file, files } = rootWith('old');
  linkSync(file, join(root, 'b.txt'));
  const tomorrow = Date.now() / 1000 + 86_400;
  utimesSync(file, tomorrow, tomorrow);
  const revisions = [(await files.stat('/a.txt'))?.revision];
  for (const content of ['new', 'old', 'new']) revisions.push(await files.write('/b.txt', content));
  revisions.push(await files.append('/a.txt', '!'));
  expect(new Set(revisions).size).toBe(5);
  expect(statSync(file).mtimeMs).toBeGreaterThan(tomorrow * 1000);
  expect(readdirSync(root)).toEqual(['a.txt', 'b.txt']);
});

it('a link to a file is removed, and a directory is not', async () => {
  const { root, file, files } = rootWith('old');
  symlinkSync('a.txt', join(root, 'link'));
  mkdirSync(join(root, 'directory'));
  expect(await files.remove('/link')).toBe(true);
  await expect(files.remove('/directory')).rejects.toMatchObject({ code: 'FILE_KIND' });
  expect([readFileSync(file, 'utf8'), readdirSync(root)]).toEqual(['old', ['a.txt', 'directory']]);
});
