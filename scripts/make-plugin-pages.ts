// Writes the pages that are generated from the plugins: node scripts/make-plugin-pages.ts
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { pluginPages } from './plugin-pages.ts';
import { root } from './workspace.ts';

const pages = await pluginPages();
for (const [path, text] of pages) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
const { status } = spawnSync(
  'oxfmt',
  pages.map(([path]) => path),
  { cwd: root, stdio: 'inherit' },
);
process.exitCode = status ?? 1;
