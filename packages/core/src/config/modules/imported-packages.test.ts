import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it, onTestFinished, vi } from 'vitest';

import { makeProject } from '../../../test/test-project.ts';
import { packageIn } from '../packages/find-package.ts';
import { noteImported, stalePackages, usesSoFar } from './imported-packages.ts';

it.each([
  ['in the millisecond of its import has not changed', 0.9, []],
  ['in the millisecond after it has', 1.1, [{ name: 'jam', file: 'index.js' }]],
])('a package whose file was written %s', (_, laterMs, stale) => {
  const now = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now });
  onTestFinished(() => void vi.useRealTimers());
  const project = makeProject({
    'node_modules/jam/package.json': '{ "name": "jam", "version": "1.0.0" }',
  });
  const directory = project.path('node_modules/jam');
  const jam = packageIn(directory, 'jam');
  if (jam === undefined) throw new Error('the package is not found');
  const before = usesSoFar();
  noteImported(jam);
  utimesSync(join(directory, 'package.json'), (now - 1000) / 1000, (now - 1000) / 1000);
  const file = join(directory, 'index.js');
  writeFileSync(file, '');
  utimesSync(file, (now + laterMs) / 1000, (now + laterMs) / 1000);
  expect(stalePackages(before)).toMatchObject(stale);
});
