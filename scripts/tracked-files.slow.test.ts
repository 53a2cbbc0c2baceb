import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { root } from './workspace.ts';

const most = 100_000;
/** Files whose size others decide: locks of package managers, records that an older version wrote, and recorded APIs. */
const large =
  /(?:^|\/)(?:pnpm-lock\.yaml|package-lock\.json|public-api\.txt)$|^packages\/core\/fixtures\/records\//;

it('no tracked file is generated: none matches .gitignore', () => {
  expect(tracked('--cached', '--ignored', '--exclude-standard')).toEqual([]);
});

it('no tracked file has more than 100 kB, but locks and golden records', () => {
  const sizes = tracked().map((path) => ({ path, size: sizeOf(path) }));
  expect(sizes.length).toBeGreaterThan(1000);
  expect(sizes.filter(({ path, size }) => size > most && !large.test(path))).toEqual([]);
});

function tracked(...options: string[]): string[] {
  const list = execFileSync('git', ['ls-files', '-z', ...options], { cwd: root, encoding: 'utf8' });
  return list.split('\0').filter((path) => path !== '');
}

/** The size in bytes; 0 for a file that was deleted and is still in the index. */
function sizeOf(path: string): number {
  return statSync(join(root, path), { throwIfNoEntry: false })?.size ?? 0;
}
