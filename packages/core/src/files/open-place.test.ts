import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { OpenDirectory } from './open-directory.ts';
import { openPlace } from './open-place.ts';
import { splitPath } from './path.ts';

function makeRoot(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-place-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'root', 'notes', 'old'), { recursive: true });
  writeFileSync(join(folder, 'root', 'notes', 'today.md'), 'Weed.');
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  return join(folder, 'root');
}

// Linux alone reaches the entries of a directory through its handle.
describe.each(process.platform === 'linux' ? [true, false] : [false])(
  'a walk (by handle: %s)',
  (hasHandlePaths) => {
    const system = { hasHandlePaths, realPath: (path: string) => realpathSync.native(path) };

    /** The real path of the directory that a file is in, as the walk finds it. */
    function walk(root: string, path: string): string | undefined {
      const options = { path, create: false, follow: true };
      const place = openPlace(OpenDirectory.root(root, system), splitPath(path), options);
      if (place === undefined) return undefined;
      const found = join(place.directory.realPath(), place.name);
      place.directory.close();
      return found;
    }

    it('finds a file', () => {
      const root = makeRoot();
      expect(walk(root, '/notes/today.md')).toBe(join(root, 'notes', 'today.md'));
      expect(walk(root, '/missing/today.md')).toBeUndefined();
    });

    it('does not take a directory that cannot be opened for one that is missing', () => {
      const root = makeRoot();
      const refusal = Object.assign(new Error('too many open files'), { code: 'EMFILE' });
      const open = vi.spyOn(OpenDirectory.prototype, 'open').mockImplementation(() => {
        throw refusal;
      });
      onTestFinished(() => open.mockRestore());
      expect(() => walk(root, '/notes/today.md')).toThrow(refusal);
    });

    it.each([
      ['up and down', '../notes/today.md'],
      ['to its own directory', './today.md'],
    ])('follows a link inside the root: %s', (_, target) => {
      const root = makeRoot();
      symlinkSync(target, join(root, 'notes', 'link.md'));
      expect(walk(root, '/notes/link.md')).toBe(join(root, 'notes', 'today.md'));
    });

    it('follows an absolute link inside the root', () => {
      const root = makeRoot();
      symlinkSync(join(root, 'notes'), join(root, 'notes', 'old', 'link'));
      expect(walk(root, '/notes/old/link/today.md')).toBe(join(root, 'notes', 'today.md'));
    });

    it.each([
      ['one step up', '../secret.txt', '/link'],
      ['two steps up', '../../secret.txt', '/notes/link'],
      ['up and down', '../root/notes/today.md', '/link'],
    ])('refuses a link out of the root: %s', (_, target, path) => {
      const root = makeRoot();
      symlinkSync(target, join(root, path));
      expect(() => walk(root, path)).toThrow(`The path "${path}" follows a link out of the root.`);
    });

    it('refuses an absolute link out of the root', () => {
      const root = makeRoot();
      symlinkSync(join(root, '..', 'secret.txt'), join(root, 'link'));
      expect(() => walk(root, '/link')).toThrow('follows a link out of the root');
    });
  },
);
