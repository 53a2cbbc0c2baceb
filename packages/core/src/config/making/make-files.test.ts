import { expect, it } from 'vitest';

import { makeProject } from '../../../test/test-project.ts';
import { memoryFiles } from '../../files/memory-files.ts';
import { loadConfig } from '../load-config.ts';
import { filesInDirectories } from './make-files.ts';

it('the files of a directory are opened once, except through others, which are asked each time', async () => {
  const project = makeProject({ 'shallot.config.yaml': 'model: offline\n', 'a/x.md': 'here' });
  const open = filesInDirectories(await loadConfig({ cwd: project.directory }));
  const root = project.path('a');
  const plain = open?.(root);
  expect(open?.(root)).toBe(plain);
  expect(open?.(project.directory)).not.toBe(plain);
  expect(await plain?.stat('/x.md')).toMatchObject({ size: 4 });
  expect(await open?.(root, () => memoryFiles()).stat('/x.md')).toBeUndefined();
});
