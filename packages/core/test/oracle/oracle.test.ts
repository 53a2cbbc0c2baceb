import { globSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

import { expect, it } from 'vitest';

import { compareWorlds } from './many-worlds.ts';

const model = join(import.meta.dirname, 'model');

// Thousands are compared by the long tests.
it('forty disturbed worlds end as the oracle says', async () => {
  const { medianSteps } = await compareWorlds(1, 40);
  expect(medianSteps).toBeGreaterThanOrEqual(3);
});

it('the oracle knows nothing of the core: it imports itself alone', () => {
  const imported = globSync(join(model, '**/*.ts')).flatMap((file) =>
    Array.from(
      readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g),
      ([, name = '']) => (name.startsWith('.') ? join(dirname(file), name) : name),
    ),
  );
  expect(imported.length).toBeGreaterThan(4);
  expect(imported.filter((file) => !file.startsWith(model + sep))).toEqual([]);
});
