import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { OpenDirectory, type PathSystem } from './open-directory.ts';

/** A system such as macOS or Windows. */
const withoutHandles: PathSystem = {
  hasHandlePaths: false,
  realPath: (path) => realpathSync.native(path),
};

function makeRoot(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-directory-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'notes'));
  writeFileSync(join(root, 'notes', 'today.md'), 'Weed.');
  return root;
}

describe('an open directory on a platform without paths through handles', () => {
  it('is in place as long as its path leads to it', () => {
    const root = makeRoot();
    const directory = OpenDirectory.root(root, withoutHandles).open('notes');
    expect(directory.fd).toBeUndefined();
    expect(directory.realPath()).toBe(join(root, 'notes'));
    expect(directory.isInPlace()).toBe(true);
  });

  it('is not in place once a link has taken its place', () => {
    const root = makeRoot();
    const directory = OpenDirectory.root(root, withoutHandles).open('notes');
    renameSync(join(root, 'notes'), join(root, 'old'));
    symlinkSync(join(root, 'old'), join(root, 'notes'));
    expect(directory.isInPlace()).toBe(false);
  });

  it('does not open a link', () => {
    const root = makeRoot();
    symlinkSync(join(root, 'notes'), join(root, 'link'));
    expect(() => OpenDirectory.root(root, withoutHandles).open('link')).toThrow(/ENOTDIR|ELOOP/);
  });

  it('is in place if the path has another case than the system, as on macOS and Windows', () => {
    const root = makeRoot();
    // Linux has both: of the one, this system says that it is the other.
    mkdirSync(join(root, 'NOTES'));
    const system = { ...withoutHandles, realPath: (path: string) => path.replace('NOTES', 'notes') };
    const directory = OpenDirectory.root(root, system).open('NOTES');
    expect(directory.isInPlace()).toBe(true);
    expect(directory.entry('today.md')).toBe(join(root, 'notes', 'today.md'));
    expect(directory.names).toEqual(['NOTES']);
  });
});
