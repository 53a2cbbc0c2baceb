import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { commandTable } from '../packages/cli/src/command-table.ts';
import { cliPage } from './cli-page.ts';
import { root } from './workspace.ts';

const page = readFileSync(join(root, 'docs/reference/cli.md'), 'utf8');

/** Tables are padded when they are formatted. */
function unpadded(text: string): string {
  return text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---');
}

it('the page of the command is what the commands say (node scripts/make-cli-page.ts)', () => {
  expect(unpadded(cliPage(page))).toBe(unpadded(page));
});

it('explains every command in a section, and names no option that there is not', () => {
  const [explained = ''] = page.split('## All options');
  const headings = [...explained.matchAll(/^## shallot (.*)$/gm)].flatMap(([, names = '']) =>
    names.split(', '),
  );
  const names = commandTable().map(({ name }) => name);
  const isExplained = (name: string): boolean =>
    headings.some((heading) => name === heading || name.startsWith(`${heading} `));
  expect(names.filter((name) => !isExplained(name))).toEqual([]);
  const known = new Set(
    commandTable().flatMap(({ rows }) => rows.flatMap(({ term }) => term.match(/--[\w-]+/g) ?? [])),
  );
  const named = [...explained.matchAll(/^\| `[^|]*\|/gm)].flatMap(([row]) => row.match(/--[\w-]+/g) ?? []);
  expect(named.filter((option) => !known.has(option))).toEqual([]);
});
