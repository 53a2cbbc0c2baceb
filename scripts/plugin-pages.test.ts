import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { pluginPages } from './plugin-pages.ts';
import { root } from './workspace.ts';

it.each(await pluginPages())('%s is in step; node scripts/make-plugin-pages.ts writes it', (path, text) => {
  expect(plain(readFileSync(join(root, path), 'utf8'))).toBe(plain(text));
});

/** Without what the formatter decides: line ends, and the width of columns. */
function plain(text: string): string {
  return text.replace(/-{2,}/g, '--').replace(/\s+/g, ' ').trim();
}
