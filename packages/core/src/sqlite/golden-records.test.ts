import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { afterAll, expect, test } from 'vitest';

import { plain } from '../../../testing/src/store/store-samples.ts';
import { sqliteStore } from './sqlite-store.ts';

const fixtures = join(import.meta.dirname, '../../fixtures/records');
const folder = mkdtempSync(join(tmpdir(), 'shallot-golden-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// They were made by the first version that wrote their format, and are never changed.
test.each(globSync('v*/*.json', { cwd: fixtures }))('%s is read as it was written', async (file) => {
  const path = join(folder, file.replaceAll('/', '-'));
  copyFileSync(join(fixtures, file, '../sessions.db'), path);
  const store = sqliteStore(path);
  const record = await store.load(basename(file, '.json'));
  expect(plain(record)).toEqual(JSON.parse(readFileSync(join(fixtures, file), 'utf8')));
  expect(await store.commit(basename(file, '.json'), record?.revision ?? 0, {})).toBeGreaterThan(1);
  await store.close?.();
});
