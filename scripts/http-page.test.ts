import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { httpPage } from './http-page.ts';
import { root } from './workspace.ts';

const page = readFileSync(join(root, 'docs/reference/http.md'), 'utf8');

/** Tables are padded when they are formatted. */
function unpadded(text: string): string {
  return text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---');
}

it('the page of the HTTP API is that of the table of routes; node scripts/make-http-page.ts writes it', () => {
  expect(unpadded(httpPage(page))).toBe(unpadded(page));
});

it('the page has every code of the server', () => {
  const source = readFileSync(join(root, 'packages/server/src/http/problem.ts'), 'utf8');
  const codes = source.match(/(?<=')server\/[A-Z_]+(?=')/g) ?? [];
  expect(codes.filter((code) => !page.includes(`| \`${code}\``))).toEqual([]);
});
