import { expect, it } from 'vitest';

import { testFiles } from '../../../testing/src/files/test-files.ts';
import { defaultMaxBytes } from './files.ts';
import { memoryFiles } from './memory-files.ts';

const maxBytes = 2_000_000;

await testFiles(() => memoryFiles({ maxBytes }), { maxBytes });

it('has revisions that no other files in memory have', async () => {
  const revisions = await Promise.all([memoryFiles(), memoryFiles()].map((files) => files.write('/a', 'a')));
  expect(new Set(revisions).size).toBe(2);
});

it('limits what is written and what is appended to the same size', async () => {
  const files = memoryFiles({ maxBytes: 4 });
  await files.append('/new', '1234');
  await files.write('/a', '123');
  await files.append('/a', '4');
  for (const path of ['/new', '/a', '/other'])
    await expect(files.append(path, path === '/other' ? '12345' : '5')).rejects.toMatchObject({
      code: 'FILE_TOO_LARGE',
    });
  expect([(await files.readText('/new')).text, (await files.readText('/a')).text]).toEqual(['1234', '1234']);
  expect(await files.stat('/other')).toBeUndefined();
});

it('names the file that stands in the way of a directory', async () => {
  const files = memoryFiles();
  await files.write('/a/b', 'x');
  await expect(files.write('/a/b/c/d', 'x')).rejects.toThrow('"/a/b" is a file, not a directory.');
  await expect(files.write('/a', 'x')).rejects.toMatchObject({ code: 'FILE_KIND' });
});

it('removes directories that become empty, and no others', async () => {
  const files = memoryFiles();
  const paths = async () => (await files.list('/', { recursive: true })).map(({ path }) => path);
  for (const path of ['/a/b/c', '/a/d', '/e/f']) await files.write(path, 'x');
  expect(await paths()).toEqual(['/a', '/a/b', '/a/b/c', '/a/d', '/e', '/e/f']);
  expect(await files.remove('/a/b/none')).toBe(false);
  expect(await files.remove('/a/b/c/d')).toBe(false);
  expect(await files.remove('/a/b/c')).toBe(true);
  expect(await paths()).toEqual(['/a', '/a/d', '/e', '/e/f']);
  expect(await files.remove('/e', { recursive: true })).toBe(true);
  expect(await files.remove('/e', { recursive: true })).toBe(false);
  expect(await paths()).toEqual(['/a', '/a/d']);
});

it('takes 64 MiB unless it is told otherwise', () => {
  expect(defaultMaxBytes).toBe(67_108_864);
});
