import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { diskFiles } from './disk-files.ts';
import { memoryFiles } from './memory-files.ts';
import { mountFiles } from './mount-files.ts';

function disk() {
  const root = mkdtempSync(join(tmpdir(), 'small-'));
  mkdirSync(join(root, 'src', 'inner'), { recursive: true });
  writeFileSync(join(root, 'src', 'a'), 'one');
  writeFileSync(join(root, 'src', 'empty'), '');
  writeFileSync(join(root, 'src', 'large'), 'x'.repeat(64 * 1024));
  writeFileSync(join(root, 'src', '.env'), 'KEY=1');
  symlinkSync('a', join(root, 'src', 'link'));
  return diskFiles(root);
}

it('small files of a directory are read by name; all else is left to read', async () => {
  for (const [files, directory] of [
    [disk(), '/src'],
    [mountFiles({ '/': memoryFiles(), '/m/': disk() }), '/m/src'],
  ] as const) {
    const small = await files.smallFiles?.(directory);
    const read = (name: string): string | undefined => {
      const bytes = small?.read(name);
      return bytes && Buffer.from(bytes).toString();
    };
    expect(['a', 'empty'].map(read)).toEqual(['one', '']);
    for (const name of ['large', '.env', 'link', 'inner', 'none', '..', '../src/a'])
      expect(read(name)).toBeUndefined();
    small?.close();
  }
});

it('there are none where no directory is, and in memory', async () => {
  expect(await disk().smallFiles?.('/none')).toBeUndefined();
  expect(await mountFiles({ '/': memoryFiles() }).smallFiles?.('/')).toBeUndefined();
});
