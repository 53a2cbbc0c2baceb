import { expect, it } from 'vitest';

import { testFiles } from '../../../testing/src/files/test-files.ts';
import { memoryFiles } from './memory-files.ts';

const maxBytes = 2_000_000;

await testFiles(() => memoryFiles({ maxBytes }), { maxBytes });

it('has revisions that no other files in memory have', async () => {
  const revisions = await Promise.all([memoryFiles(), memoryFiles()].map((files) => files.write('/a', 'a')));
  expect(new Set(revisions).size).toBe(2);
});
