import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

import { randomId } from './node-crypto.ts';

const uuid = /^run_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('a random id is another one each time', () => {
  const ids = Array.from({ length: 1000 }, () => randomId('run'));
  expect(ids.filter((id) => !uuid.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(1000);
});

const program = `
const { randomId } = await import(${JSON.stringify(import.meta.resolve('./node-crypto.ts'))});
const { moduleLoadList } = process;
const ids = Array.from({ length: 1000 }, () => randomId('run'));
console.log(JSON.stringify({ ids, loads: moduleLoadList.includes('NativeModule crypto') }));
`;

test.each([
  { how: 'from the system, without loading node:crypto', flags: [], loads: process.platform === 'win32' },
  {
    how: 'from node:crypto where the system may not be read',
    flags: ['--permission', `--allow-fs-read=${fileURLToPath(new URL('.', import.meta.url))}*`],
    loads: true,
  },
])('random ids come $how', async ({ flags, loads }) => {
  const args = [...flags, '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { ids, ...rest } = JSON.parse(stdout) as { readonly ids: readonly string[]; readonly loads: boolean };
  expect(rest).toEqual({ loads });
  expect(ids.filter((id) => !uuid.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(1000);
});
