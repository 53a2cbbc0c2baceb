import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

/** Each entry of the package, with the names that it exports, types included, as they were recorded. */
function recordedEntries(): Map<string, readonly string[]> {
  const recorded = readFileSync(join(import.meta.dirname, '..', 'public-api.txt'), 'utf8');
  const entries = recorded.matchAll(/^\/\/ (@shallot\/core\S*)\nexport \{([^}]*)\}/gm);
  return new Map(
    Array.from(entries, ([, entry = '', names = '']) => [entry, names.match(/[\w$]+/g) ?? []] as const),
  );
}

it('exports each name from one entry', () => {
  const names = [...recordedEntries().values()].flat();
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it('has less than 60 names in its root, which is for programs', () => {
  const root = recordedEntries().get('@shallot/core') ?? [];
  expect(root).toContain('createAgent');
  expect(root.length).toBeLessThan(60);
});

it('has at most 91 names for plugins, and 15 for programs that load a config', () => {
  const entries = recordedEntries();
  expect(entries.get('@shallot/core/plugin')?.length).toBeLessThanOrEqual(91);
  expect(entries.get('@shallot/core/config')?.length).toBeLessThanOrEqual(15);
});

it('has an entry for each reader', () => {
  expect([...recordedEntries().keys()]).toEqual(
    ['', '/command', '/config', '/files', '/model', '/plugin', '/sqlite', '/store', '/testing', '/work'].map(
      (path) => `@shallot/core${path}`,
    ),
  );
});
