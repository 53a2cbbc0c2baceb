import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { leftOutTests } from './left-out-tests.ts';
import { root } from './workspace.ts';

const all = Object.values(leftOutTests).flat();

it.each(all)('the test left out stands in $file: $name', ({ file, name = '' }) => {
  expect(readFileSync(join(root, file), 'utf8')).toContain(name);
});
