import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { collectSources, isLoadedFile, protectFile, protectGlob, protectIn } from './loaded-files.ts';

// Nothing of these tests exists, and nothing is made.
const root = join(realpathSync(tmpdir()), 'shallot-loaded');
const path = (name: string): string => join(root, name);

it('the sources of an agent are what is protected while it is loaded, without what it writes itself', async () => {
  protectFile(path('before.ts'));
  const sources = await collectSources(async (found) => {
    protectFile(path('own.ts'));
    protectFile(path('state.json'), 'state');
    protectGlob(root, 'tools/*.ts');
    protectGlob(root, 'logs/*.txt', 'state');
    await Promise.resolve();
    protectFile(path('late.ts'));
    return found;
  });
  protectFile(path('after.ts'));
  protectGlob(root, 'after/*.ts');
  expect([...sources.files]).toEqual([path('own.ts'), path('late.ts')]);
  expect([...sources.globs]).toEqual([[path('tools/*.ts'), { directory: root, glob: 'tools/*.ts' }]]);
  for (const name of [
    'before.ts',
    'own.ts',
    'state.json',
    'tools/a.ts',
    'logs/a.txt',
    'after.ts',
    'after/a.ts',
  ])
    expect([name, isLoadedFile(path(name))]).toEqual([name, true]);
});

it('a load that fails ends all the same', async () => {
  const failed: unknown[] = [];
  await expect(
    collectSources(async (found) => {
      failed.push(found);
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  protectFile(path('after-failure.ts'));
  expect(failed).toMatchObject([{ files: new Set() }]);
});

it.each([
  ['a.md', 'plain/a.md', true],
  ['/plain/../deep/./a.md', 'deep/a.md', true],
  ['/wild/*.md', 'wild/b.md', true],
  ['/wild/*.md', 'wild/b.txt', false],
  ['one/b?.md', 'one/bc.md', true],
  ['{two,x}/c.md', 'two/c.md', true],
  ['three/[d-f].md', 'three/d.md', true],
])('from a root, the path or glob %s protects %s: %s', (glob, name, expected) => {
  protectIn(join(root, glob === 'a.md' ? 'plain' : '.'), glob, 'state');
  expect(isLoadedFile(path(name))).toBe(expected);
});
