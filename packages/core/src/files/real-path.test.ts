import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { realPath } from './real-path.ts';

function makeRoot(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-real-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const root = join(folder, 'root');
  mkdirSync(join(root, 'docs', 'deep'), { recursive: true });
  writeFileSync(join(root, 'docs', 'a.md'), 'a');
  symlinkSync('docs', join(root, 'link'));
  symlinkSync('../docs/a.md', join(root, 'docs', 'b.md'));
  symlinkSync('..', join(root, 'docs', 'up'));
  symlinkSync('new/place', join(root, 'dangling'));
  symlinkSync('..', join(root, 'out'));
  // The root may be reached through a link itself.
  symlinkSync('root', join(folder, 'way'));
  return join(folder, 'way');
}

it.each([
  ['/', '/'],
  ['/docs/a.md', '/docs/a.md'],
  ['//docs/./deep/', '/docs/deep'],
  ['/link/a.md', '/docs/a.md'],
  ['/link', '/docs'],
  ['/link/b.md', '/docs/a.md'],
  ['/link/up/link/up/docs', '/docs'],
  ['/docs/up', '/'],
  ['/link/up', '/'],
  // Names that do not exist are kept, behind those that do.
  ['/none', '/none'],
  ['/none/of/these', '/none/of/these'],
  ['/link/none/of', '/docs/none/of'],
  ['/docs/a.md/none', '/docs/a.md/none'],
  ['/dangling', '/dangling'],
])('%s is %s without links', (path, real) => {
  expect(realPath(makeRoot(), path)).toBe(real);
});

it('a path that leads out of the root is refused', () => {
  for (const path of ['/out', '/out/x', '/link/up/out'])
    expect(() => realPath(makeRoot(), path)).toThrow('follows a link out of the root');
});
