import { readdirSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { brief, errorOf, makeProject } from '../../../test/test-project.ts';
import { compileFile, findEsbuild, mayResolve, requiredEsbuild, resolveImport } from './esbuild.ts';

const esbuild = requiredEsbuild('no', { file: import.meta.filename });

it('a file that cannot be compiled is reported with the first fault, and its place', async () => {
  const project = makeProject({ 'a.ts': 'const one = 1;\nconst one = 2;\nconst one = 3;' });
  const file = project.path('a.ts');
  const compiling = Promise.resolve().then(() => compileFile(esbuild, file));
  expect(brief(project, await errorOf(compiling))).toEqual([
    'MODULE_FAILED a.ts:2:7 The file cannot be compiled: The symbol "one" has already been declared.',
  ]);
});

it('a file is compiled for Node, with a map to its source', () => {
  const project = makeProject({ 'a.ts': 'export enum Tea { Green = 5 }' });
  const { code, sourceMap } = compileFile(esbuild, project.path('a.ts'));
  expect(code).toContain('Green');
  expect(sourceMap).toMatchObject({ version: 3, sources: [`file://${project.path('a.ts')}`] });
  expect(readdirSync(project.directory)).toEqual(['a.ts']);
});

it('a failure of esbuild itself is passed on', () => {
  const failure = new Error('The service was stopped.');
  const buildSync = (): never => {
    throw failure;
  };
  expect(() => compileFile({ buildSync }, '/a.ts')).toThrow(failure);
  expect(() => resolveImport({ buildSync }, './b', '/a.ts')).toThrow(failure);
});

it('esbuild is found beside the core', () => {
  expect(findEsbuild(makeProject({}).directory)?.buildSync).toBe(esbuild.buildSync);
});

describe('an import', () => {
  const project = () =>
    makeProject({
      'tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }',
      'src/tea.ts': '',
      'src/milk/index.tsx': '',
      'src/tea-pot.js': '',
    });

  it.each([
    ['./src/tea', 'src/tea.ts'],
    ['./src/tea.js', 'src/tea.ts'],
    ['./src/milk', 'src/milk/index.tsx'],
    ['@/tea', 'src/tea.ts'],
    ['./src/coffee', undefined],
    ['coffee', undefined],
  ])('of %s is resolved as TypeScript does: %s', (specifier, expected) => {
    const { path } = project();
    const found = resolveImport(esbuild, specifier, path('a.ts'));
    expect(found).toBe(expected && path(expected));
  });

  it.each([
    ['./src/tea', true],
    ['./src/tea.js', true],
    ['./src/milk', true],
    ['./src/te', false],
    ['./src/tea-', false],
    ['./gone/tea', false],
    ['coffee', true],
  ])('of %s is tried if there may be such a file: %s', (specifier, expected) => {
    expect(mayResolve(specifier, project().path('a.ts'))).toBe(expected);
  });

  it.each([
    ['{ "compilerOptions": { "baseUrl": "." } }', true],
    ['{ "extends": "./base.json" }', true],
    ['{ "compilerOptions": { "strict": true } }', false],
  ])('of a package is tried if the settings name paths: %s', (settings, expected) => {
    const { path } = makeProject({ 'tsconfig.json': settings, 'src/deep/a.ts': '' });
    expect(mayResolve('coffee', path('src/deep/a.ts'))).toBe(expected);
    expect(mayResolve('./coffee', path('src/deep/a.ts'))).toBe(false);
  });
});
