// Writes the pages that are made from the plugins themselves: node scripts/make-plugin-pages.ts
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { pluginPages } from './plugin-pages.ts';
import { root } from './workspace.ts';

const pages = await pluginPages();
for (const [path, text] of pages) writeFileSync(join(root, path), text);
const { status } = spawnSync(
  'oxfmt',
  pages.map(([path]) => path),
  { cwd: root, stdio: 'inherit' },
);
process.exitCode = status ?? 1;
