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

import { OpenDirectory } from './open-directory.ts';

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
    const directory = OpenDirectory.root(root, false).open('notes');
    expect(directory.fd).toBeUndefined();
    expect(directory.realPath()).toBe(join(root, 'notes'));
    expect(directory.isInPlace()).toBe(true);
  });

  it('is not in place once a link has taken its place', () => {
    const root = makeRoot();
    const directory = OpenDirectory.root(root, false).open('notes');
    renameSync(join(root, 'notes'), join(root, 'old'));
    symlinkSync(join(root, 'old'), join(root, 'notes'));
    expect(directory.isInPlace()).toBe(false);
  });

  it('does not open a link', () => {
    const root = makeRoot();
    symlinkSync(join(root, 'notes'), join(root, 'link'));
    expect(() => OpenDirectory.root(root, false).open('link')).toThrow(/ENOTDIR|ELOOP/);
  });
});
