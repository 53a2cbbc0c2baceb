import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { root } from './workspace.ts';

const page = 'docs/reference/guarantees.md';

/** The rows of its tables: a promise, the tests that hold it, and its limits. */
const rows = readFileSync(join(root, page), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:promise|-+) /.test(line))
  .map((line) => {
    const [promise = '', tests = '', limits = ''] = line.split('|').slice(1, -1);
    return { promise: promise.trim(), tests: linksOf(tests), limits: limits.trim() };
  });

function linksOf(cell: string): string[] {
  return [...cell.matchAll(/\]\(([^)#]+)\)/g)].map(([, link = '']) => link);
}

describe('the page of guarantees', () => {
  it('has rows', () => {
    expect(rows.length).toBeGreaterThan(4);
  });

  it.each(rows)('names tests that exist, and limits, for "$promise"', ({ tests, limits }) => {
    expect(tests.length).toBeGreaterThan(0);
    const missing = tests.filter(
      (test) => !test.endsWith('.test.ts') || !existsSync(join(root, dirname(page), test)),
    );
    expect(missing).toEqual([]);
    expect(limits).not.toBe('');
  });
});
