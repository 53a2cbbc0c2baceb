import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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

    it('follows 40 links in a row, and no more', () => {
      const root = makeRoot();
      symlinkSync('notes/today.md', join(root, 'link-1'));
      for (let count = 2; count <= 41; count += 1)
        symlinkSync(`link-${count - 1}`, join(root, `link-${count}`));
      expect(walk(root, '/link-40')).toBe(join(root, 'notes', 'today.md'));
      expect(() => walk(root, '/link-41')).toThrow('The path "/link-41" follows more than 40 links.');
    });

    it('takes a directory that another process makes at the same time', () => {
      const root = makeRoot();
      const { open } = OpenDirectory.prototype;
      let misses = 1;
      const spy = vi.spyOn(OpenDirectory.prototype, 'open').mockImplementation(function (
        this: OpenDirectory,
        name,
      ) {
        if (name === 'notes' && (misses -= 1) >= 0)
          throw Object.assign(new Error('gone'), { code: 'ENOENT' });
        return open.call(this, name);
      });
      onTestFinished(() => spy.mockRestore());
      const options = { path: '/notes/new.md', create: true, follow: true };
      const place = openPlace(OpenDirectory.root(root, system), ['notes', 'new.md'], options);
      expect(place?.directory.realPath()).toBe(join(root, 'notes'));
      place?.directory.close();
    });

    it('makes missing directories if they are to be made, and says why it cannot', () => {
      const root = makeRoot();
      const make = (path: string) => {
        const options = { path, create: true, follow: true };
        openPlace(OpenDirectory.root(root, system), path.slice(1).split('/'), options)?.directory.close();
      };
      make('/new/deep/file.md');
      expect(existsSync(join(root, 'new', 'deep'))).toBe(true);
      expect(existsSync(join(root, 'new', 'deep', 'file.md'))).toBe(false);
      expect(() => make('/notes/today.md/x')).toThrow(expect.objectContaining({ code: 'FILE_KIND' }));
      expect(() => make(`/${'n'.repeat(256)}/x`)).toThrow('ENAMETOOLONG');
      expect(walk(root, '/notes/today.md/x')).toBeUndefined();
    });

    it('names the boundary that a link crosses, if it is not the root', () => {
      const root = makeRoot();
      symlinkSync('../secret.txt', join(root, 'link'));
      const options = { path: '/in/link', within: '/in', create: false, follow: true };
      expect(() => openPlace(OpenDirectory.root(root, system), ['link'], options)).toThrow(
        'follows a link out of "/in". Use a regular file instead of a link.',
      );
    });

    it('refuses all links if there are to be none', () => {
      const root = makeRoot();
      symlinkSync('notes', join(root, 'link'));
      for (const names of [['link'], ['link', 'today.md']]) {
        const options = { path: '/link', create: false, follow: true, noLinks: true };
        expect(() => openPlace(OpenDirectory.root(root, system), names, options)).toThrow(
          'has a link in it, which it had not before',
        );
      }
    });

    it('does not follow the last name unless it is told to', () => {
      const root = makeRoot();
      symlinkSync('../secret.txt', join(root, 'link'));
      const options = { path: '/link', create: false, follow: false };
      const place = openPlace(OpenDirectory.root(root, system), ['link'], options);
      expect(place?.name).toBe('link');
      place?.directory.close();
    });

    it('refuses an absolute link out of the root', () => {
      const root = makeRoot();
      symlinkSync(join(root, '..', 'secret.txt'), join(root, 'link'));
      expect(() => walk(root, '/link')).toThrow('follows a link out of the root');
    });
  },
);
