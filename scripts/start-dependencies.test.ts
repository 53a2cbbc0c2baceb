import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { root } from './workspace.ts';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly inlinedDependencies?: readonly string[];
}

// `npm start` installs no development dependencies, and what is built into packages is one of those.
it('the repository itself depends on what its packages are built with, so that examples run from source', () => {
  const inlined = globSync('packages/*/package.json', { cwd: root }).flatMap((file) => {
    const { devDependencies = {}, inlinedDependencies = [] } = manifest(file);
    return inlinedDependencies.filter((name) => name in devDependencies);
  });
  expect(Object.keys(manifest('package.json').dependencies ?? {})).toEqual(
    [...new Set(['@shallot/core', ...inlined])].toSorted(),
  );
});

function manifest(file: string): Manifest {
  // Each is a package.json.
  return JSON.parse(readFileSync(join(root, file), 'utf8')) as Manifest;
}
