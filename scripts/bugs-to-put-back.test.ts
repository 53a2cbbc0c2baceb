import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { bugsToPutBack, withBug } from './bugs-to-put-back.ts';
import { root } from './workspace.ts';

it.each(bugsToPutBack)('$name can be put back into the source as it is', (bug) => {
  const source = readFileSync(join(root, 'packages', 'core', 'src', bug.file), 'utf8');
  expect(withBug(bug, source)).not.toBe(source);
});
