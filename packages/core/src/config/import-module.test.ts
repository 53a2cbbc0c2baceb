import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { importFile } from './import-module.ts';
import { loadConfig } from './load-config.ts';
import { brief, errorOf, makeProject, type TestProject } from './test-project.ts';

async function failureOf(project: TestProject, file: string): Promise<string[]> {
  return brief(project, await errorOf(importFile(project.path(file))));
}

describe('a TypeScript file', () => {
  it.each([
    ['in a CommonJS package', { 'package.json': '{ "type": "commonjs" }' }],
    ['in an ESM package', { 'package.json': '{ "type": "module" }' }],
    ['without a package.json', {}],
  ])('is imported %s, with syntax that has to be compiled', async (_, files: Record<string, string>) => {
    const project = makeProject({
      ...files,
      'a.ts': `
import { word } from './lib/word.js';
import { other } from './lib/other';
enum Color { Red = 'red' }
class Point { constructor(readonly x: number) {} }
export default { word, other, color: Color.Red, x: new Point(3).x, url: import.meta.url, dirname: import.meta.dirname };`,
      'lib/word.ts': 'export const word: string = "tea";',
      'lib/other.js': 'export const other = "js";',
    });
    const before = readdirSync(project.directory, { recursive: true });
    const { default: made } = await importFile(project.path('a.ts'));
    expect(made).toMatchObject({ word: 'tea', other: 'js', color: 'red', x: 3, dirname: project.directory });
    expect(made).toMatchObject({ url: expect.stringMatching(/^file:.*\/a\.ts\?/) as unknown });
    expect(readdirSync(project.directory, { recursive: true })).toEqual(before);
  });

  it('gets packages from its own directory, also those that have only an import condition', async () => {
    const project = makeProject({
      'package.json': '{ "type": "commonjs" }',
      'node_modules/esm-only/package.json':
        '{ "name": "esm-only", "type": "module", "exports": { ".": { "import": "./index.js" } } }',
      'node_modules/esm-only/index.js': 'export const where = "outer";',
      'inner/node_modules/esm-only/package.json':
        '{ "name": "esm-only", "type": "module", "exports": { ".": { "import": "./index.js" } } }',
      'inner/node_modules/esm-only/index.js': 'export const where = "inner";',
      'a.ts': `export { where } from 'esm-only'; export { where as deep } from './inner/b.ts';`,
      'inner/b.ts': `export { where } from 'esm-only';`,
    });
    expect(await importFile(project.path('a.ts'))).toMatchObject({ where: 'outer', deep: 'inner' });
  });

  it('gets the copy of the core that is installed beside it', async () => {
    const project = makeProject({
      'node_modules/@shallot/core/package.json':
        '{ "name": "@shallot/core", "type": "module", "exports": "./index.js" }',
      'node_modules/@shallot/core/index.js': 'export const copy = "installed";',
      'a.ts': `export { copy } from '@shallot/core';`,
    });
    expect(await importFile(project.path('a.ts'))).toMatchObject({ copy: 'installed' });
  });

  it('shares the local modules that others import too', async () => {
    const project = makeProject({
      'a.ts': `export { shared } from './shared.ts';`,
      'b.ts': `export { shared } from './shared.ts';`,
      'shared.ts': 'export const shared: object = {};',
    });
    const [a, b] = await Promise.all([importFile(project.path('a.ts')), importFile(project.path('b.ts'))]);
    expect(a['shared']).toBe(b['shared']);
  });

  it('may import in a circle, and at a later time', async () => {
    const project = makeProject({
      'a.ts': `import { b } from './b.ts';
export const a: string = 'a';
export const both = () => a + b();
export const later = async (): Promise<string> => (await import('./c.ts')).c;`,
      'b.ts': `import { a } from './a.ts'; export const b = (): string => a + 'b';`,
      'c.ts': 'export const c: string = "c";',
    });
    const module = await importFile(project.path('a.ts'));
    const { both, later } = module as { both(): string; later(): Promise<string> };
    expect([both(), await later()]).toEqual(['aab', 'c']);
  });

  it('may wait at its top level', async () => {
    const project = makeProject({ 'a.ts': 'export const a: number = await Promise.resolve(1);' });
    expect(await importFile(project.path('a.ts'))).toMatchObject({ a: 1 });
  });

  it('follows the tsconfig.json beside it', async () => {
    const project = makeProject({
      'tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }',
      'a.ts': `export { b } from '@/b.ts';`,
      'src/b.ts': 'export const b: string = "b";',
    });
    expect(await importFile(project.path('a.ts'))).toMatchObject({ b: 'b' });
  });

  it('is run once, and again when it or something that it imports has changed', async () => {
    const project = makeProject({
      'a.ts': `import { b } from './b.ts'; export const a = [b];`,
      'b.ts': 'export const b: number = 1;',
    });
    const first = await importFile(project.path('a.ts'));
    const again = await importFile(project.path('a.ts'));
    project.write({ 'b.ts': 'export const b: number = 2;' });
    const changed = await importFile(project.path('a.ts'));
    expect(again['a']).toBe(first['a']);
    expect([first['a'], changed['a']]).toEqual([[1], [2]]);
  });

  it('that throws is reported at the line that threw', async () => {
    const project = makeProject({
      'a.ts': `interface Unused { a: string }


import { fail } from './b.ts';
fail();`,
      'b.ts': `interface Unused { a: string }
export function fail(): never {
  throw new Error('no tea');
}`,
    });
    expect(await failureOf(project, 'a.ts')).toEqual([
      'MODULE_FAILED b.ts:3:9 no tea (thrown when the module was imported).',
    ]);
  });

  it('that throws later has its own lines in the stack', async () => {
    const project = makeProject({
      'a.ts': `interface Unused {
  a: string;
}
export const fail = (): Error =>
  new Error('late');`,
    });
    const { fail } = (await importFile(project.path('a.ts'))) as { fail(): Error };
    // The test runner formats stacks itself, and so hides Node's own source maps.
    const format = Error.prepareStackTrace;
    Reflect.deleteProperty(Error, 'prepareStackTrace');
    const { stack } = fail();
    Error.prepareStackTrace = format;
    expect(stack).toMatch(/a\.ts:5:3/);
  });

  it.each([
    [
      'does not parse',
      'export const a = ;\n',
      /^MODULE_FAILED a\.ts:1:18 The file cannot be compiled: Unexpected ";"\.$/,
    ],
    [
      'imports a missing file',
      `\nimport './b.ts';\n`,
      /^MODULE_FAILED a\.ts:2:8 The file cannot be compiled: Could not resolve ".\/b\.ts"\.$/,
    ],
    [
      'imports a missing package',
      `\nimport { a } from 'not-there';\nconsole.log(a);`,
      /^MODULE_FAILED a\.ts:2:19 Cannot find package 'not-there'/,
    ],
    [
      'imports what is not exported',
      `import { nothing } from './b.ts';\nconsole.log(nothing);`,
      /^MODULE_FAILED a\.ts.*(?:nothing|import)/,
    ],
  ])('that %s is reported with its place', async (_, code, expected) => {
    const extra = code.includes('nothing') ? { 'b.ts': 'export const b = 1;' } : {};
    expect(await failureOf(makeProject({ 'a.ts': code, ...extra }), 'a.ts')).toEqual([
      expect.stringMatching(expected),
    ]);
  });
});

describe('a JavaScript file', () => {
  it('is imported by Node, and shared with others that import it', async () => {
    const project = makeProject({
      'package.json': '{ "type": "module" }',
      'a.js': `export { b } from './b.mjs';`,
      'b.mjs': 'export const b = {};',
    });
    const [a, b] = [await importFile(project.path('a.js')), await importFile(project.path('b.mjs'))];
    expect(a['b']).toBe(b['b']);
  });

  it.each([
    ['a.mjs', (value: string) => `export default '${value}';`],
    ['a.js', (value: string) => `module.exports = '${value}';`],
    ['b.js', (value: string) => `exports.__esModule = true; exports.default = '${value}';`],
  ])('%s is run again after a change', async (name, write) => {
    const project = makeProject({ 'package.json': '{ "type": "commonjs" }', [name]: write('one') });
    const values = [(await importFile(project.path(name)))['default']];
    project.write({ [name]: write('two') });
    values.push((await importFile(project.path(name)))['default']);
    project.write({ [name]: write('one') });
    values.push((await importFile(project.path(name)))['default']);
    expect(values).toEqual(['one', 'two', 'one']);
  });

  it.each([
    ['export', 'export default {};'],
    ['import', `import fs from 'node:fs';\nmodule.exports = fs;`],
  ])('with %s in a CommonJS package is refused with what to do', async (_, code) => {
    const project = makeProject({ 'package.json': '{ "type": "commonjs" }', 'a.js': code });
    expect(await failureOf(project, 'a.js')).toEqual([
      expect.stringMatching(
        /^MODULE_FAILED a\.js(?::\d+)* The file is written as an ES module, but package\.json says "type": "commonjs"\. Rename it to \.mjs, or say "type": "module" there\.$/,
      ),
    ]);
  });

  it('that throws is reported at the line that threw', async () => {
    const project = makeProject({ 'a.mjs': `\n\n  throw new Error('no tea');` });
    expect(await failureOf(project, 'a.mjs')).toEqual([
      'MODULE_FAILED a.mjs:3:9 no tea (thrown when the module was imported).',
    ]);
  });

  it('that does not parse is reported with its line', async () => {
    const project = makeProject({ 'a.mjs': `export default {};\nconst = 1;` });
    expect(await failureOf(project, 'a.mjs')).toEqual([
      expect.stringMatching(/^MODULE_FAILED a\.mjs:2:7 Unexpected token/),
    ]);
  });
});

describe('a config that is code', () => {
  it.each(['shallot.config.ts', 'shallot.config.mjs', 'shallot.config.js'])(
    '%s that throws ENOENT is no missing file',
    async (name) => {
      const project = makeProject({
        [name]: `import { readFileSync } from 'node:fs';\nreadFileSync('/nowhere/at/all');\nexport default {};`,
      });
      expect(brief(project, await errorOf(loadConfig({ cwd: project.directory })))).toEqual([
        expect.stringMatching(
          new RegExp(
            `^CONFIG_FAILED ${name.replaceAll('.', String.raw`\.`)}:2:1 The config's own code failed: ENOENT: no such file`,
          ),
        ),
      ]);
    },
  );

  it.each(['shallot.config.ts', 'shallot.config.mjs'])('%s that throws is run once', async (name) => {
    const project = makeProject({
      [name]: `globalThis.shallotRuns = (globalThis.shallotRuns ?? 0) + 1;\nthrow new Error('no tea');\n`,
    });
    Reflect.set(globalThis, 'shallotRuns', 0);
    const error = await errorOf(loadConfig({ cwd: project.directory }));
    expect(Reflect.get(globalThis, 'shallotRuns')).toBe(1);
    expect(brief(project, error)).toEqual([
      `CONFIG_FAILED ${name}:2:7 The config's own code failed: no tea (thrown when the module was imported).`,
    ]);
  });

  it('in a CommonJS package is not blamed for something else', async () => {
    const project = makeProject({
      'package.json': '{ "type": "commonjs" }',
      'shallot.config.js': 'export default {};',
    });
    const error = await errorOf(loadConfig({ cwd: project.directory }));
    expect(error.code).toBe('CONFIG_FAILED');
    expect(error.message).toContain('Rename it to .mjs, or say "type": "module" there.');
  });

  it.each(['shallot.config.ts', 'shallot.config.mjs', 'shallot.config.yaml'])(
    '%s is read anew after a change',
    async (name) => {
      const write = (value: string): string =>
        name.endsWith('yaml') ? `name: ${value}` : `export default { name: '${value}' };`;
      const project = makeProject({ [name]: write('one') });
      const first = await loadConfig({ cwd: project.directory });
      project.write({ [name]: write('two') });
      const second = await loadConfig({ cwd: project.directory });
      expect([first.config.name, second.config.name]).toEqual(['one', 'two']);
    },
  );

  it('without a default export is refused with what to write', async () => {
    const project = makeProject({ 'shallot.config.ts': 'export const config = { name: "a" };' });
    expect(brief(project, await errorOf(loadConfig({ cwd: project.directory })))).toEqual([
      'CONFIG_INVALID shallot.config.ts The config exports config (an object). Write "export default defineConfig({ … })".',
    ]);
  });

  it('gets defineConfig from the installed core', async () => {
    const project = makeProject({
      'shallot.config.ts': `import { defineConfig } from '@shallot/core/config';\nexport default defineConfig({ name: 'typed' });`,
    });
    mkdirSync(project.path('node_modules/@shallot'), { recursive: true });
    symlinkSync(join(import.meta.dirname, '..', '..'), project.path('node_modules/@shallot/core'));
    expect((await loadConfig({ cwd: project.directory })).config.name).toBe('typed');
  });
});
