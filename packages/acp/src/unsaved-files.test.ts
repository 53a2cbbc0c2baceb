import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { diskFiles } from '@shallot/core/files';
import { expect, it } from 'vitest';

import { newDirectory } from '../test/world.ts';
import { unsavedFiles } from './unsaved-files.ts';

it('leaves a file as it was where the editor refuses to write it', async () => {
  const root = newDirectory();
  const place = join(root, 'a.txt');
  writeFileSync(place, 'on disk');
  const files = unsavedFiles(diskFiles(root), {
    read: async () => 'in the editor',
    write: async () => Promise.reject(new Error('The window is read-only.')),
  });
  const { revision } = await files.readText('/a.txt');
  await expect(files.write('/a.txt', 'new', { ifRevision: revision })).rejects.toThrow('read-only');
  expect(readFileSync(place, 'utf8')).toBe('on disk');
});
