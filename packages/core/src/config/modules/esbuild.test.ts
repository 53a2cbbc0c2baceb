import { expect, it } from 'vitest';

import { brief, errorOf, makeProject } from '../../../test/test-project.ts';
import { compileFile, requiredEsbuild } from './esbuild.ts';

it('a file that cannot be compiled is reported with the first fault, and its place', async () => {
  const project = makeProject({ 'a.ts': 'const one = 1;\nconst one = 2;\nconst one = 3;' });
  const file = project.path('a.ts');
  const esbuild = requiredEsbuild('no', { file });
  const compiling = Promise.resolve().then(() => compileFile(esbuild, file));
  expect(brief(project, await errorOf(compiling))).toEqual([
    'MODULE_FAILED a.ts:2:7 The file cannot be compiled: The symbol "one" has already been declared.',
  ]);
});
