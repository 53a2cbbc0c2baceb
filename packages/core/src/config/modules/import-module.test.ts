import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { brief, errorOf, makeProject, type TestProject } from '../../../test/test-project.ts';
import { isLoadedFile } from '../../files/protection/loaded-files.ts';
import { loadConfig } from '../load-config.ts';
import { importFile } from './import-module.ts';
import { importFound } from './resolve-module.ts';

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
    expect(made).toMatchObject({ url: expect.stringMatching(/^file:.*\/a\.ts(?:\?|$)/) as unknown });
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

  it('protects what would be imported in place of a directory', async () => {
    const project = makeProject({
      'a.ts': `export { b } from './lib';`,
      'lib/index.ts': 'export const b = 1;',
    });
    expect(await importFile(project.path('a.ts'))).toMatchObject({ b: 1 });
    for (const name of ['lib', 'lib.ts', 'lib.json', 'lib/package.json', 'lib/index.ts', 'lib/index.js'])
      expect([name, isLoadedFile(project.path(name))]).toEqual([name, true]);
    for (const name of ['lib/b.ts', 'index.ts', 'lib/index.css'])
      expect([name, isLoadedFile(project.path(name))]).toEqual([name, false]);
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

  it('no longer needs what it imported before it changed', async () => {
    const project = makeProject({
      'a.ts': `export { b as a } from './b.ts';`,
      'b.ts': 'export const b: number = 1;',
    });
    await importFile(project.path('a.ts'));
    rmSync(project.path('b.ts'));
    expect(await failureOf(project, 'a.ts')).toEqual([expect.stringContaining("Cannot find module 'b.ts'")]);
    project.write({ 'a.ts': 'export const a: number = 2;' });
    expect(await importFile(project.path('a.ts'))).toMatchObject({ a: 2 });
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
      /^MODULE_FAILED a\.ts:1:18 The file cannot be compiled: Expression expected\.$/,
    ],
    [
      'imports a missing file',
      `\nimport './b.ts';\n`,
      /^MODULE_FAILED a\.ts:2:8 Cannot find module 'b\.ts' imported from a\.ts/,
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

describe('a TypeScript file that Node refuses', () => {
  const count = (name: string): string =>
    `globalThis.shallotCount = [...(globalThis.shallotCount ?? []), '${name}'];`;
  const counted = (): unknown => {
    const names: unknown = Reflect.get(globalThis, 'shallotCount');
    Reflect.deleteProperty(globalThis, 'shallotCount');
    return names;
  };

  it.each([
    ['an enum', 'enum Color { Red = 1 }\nexport const value = Color.Red;'],
    ['a namespace', 'namespace Point { export const x = 1 }\nexport const value = Point.x;'],
    [
      'a parameter property',
      'class Point { constructor(readonly x: number) {} }\nexport const value = new Point(1).x;',
    ],
    ['an import without an ending', `import { one } from './one';\nexport const value = one;`],
    ['an import of what is not compiled yet', `import { one } from './one.js';\nexport const value = one;`],
    ['a path of its tsconfig.json', `import { one } from '@/one.ts';\nexport const value = one;`],
    ['an import that is a type', `import { One } from './one.ts';\nexport const value: One = 1;`],
    [
      'an import that is partly a type',
      `import { One, one } from './one.ts';\nexport const value: One = one;`,
    ],
    [
      'a decorator',
      'const same = (method: unknown) => method;\nclass A { @same one() { return 1; } }\nexport const value = new A().one();',
    ],
  ])('for %s is run once, and so is what it imports', async (_, code) => {
    const project = makeProject({
      'tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./*"] } } }',
      'a.ts': `import './before.ts';\n${code}\nimport './after.ts';\n${count('a')}`,
      'before.ts': count('before'),
      'after.ts': count('after'),
      'one.ts': `export type One = number;\nexport const one: One = 1;`,
    });
    expect(await importFile(project.path('a.ts'))).toMatchObject({ value: 1 });
    expect(counted()).toEqual(['before', 'after', 'a']);
  });

  it.each([
    ['with an enum', 'enum Color { Red = 1 }\nexport const value = Color.Red;'],
    ['whose import has no ending', `export { one as value } from './one';`],
  ])('%s can be imported at a later time', async (_, code) => {
    const project = makeProject({
      'a.ts': `${count('a')}\nexport const { value } = await import('./later.ts');`,
      'later.ts': `${count('later')}\n${code}`,
      'one.ts': 'export const one: number = 1;',
    });
    expect(await importFile(project.path('a.ts'))).toMatchObject({ value: 1 });
    expect(counted()).toEqual(['a', 'later']);
  });

  it('shares with others what they both import', async () => {
    const project = makeProject({
      'a.ts': `import { Shared, shared } from './shared.ts';\nexport const mine: Shared = shared;`,
      'b.ts': `export { shared as mine } from './shared.ts';`,
      'shared.ts': `${count('shared')}\nexport type Shared = object;\nexport const shared: Shared = {};`,
    });
    const modules = await Promise.all(['a.ts', 'b.ts'].map((name) => importFile(project.path(name))));
    expect(modules[0]?.['mine']).toBe(modules[1]?.['mine']);
    expect(counted()).toEqual(['shared']);
  });

  it('is compiled alone, if Node names it', async () => {
    const project = makeProject({
      'a.ts': `import { One, text } from './one.ts';\nexport const value: One = text;`,
      'one.ts': 'export type One = string;\nexport const text = String(() => /* as written */ 1);',
    });
    expect(await importFile(project.path('a.ts'))).toMatchObject({ value: '() => /* as written */ 1' });
  });

  it('is imported anew once it can be', async () => {
    const project = makeProject({ 'a.ts': `export { b } from './b.ts';` });
    const [missing] = await failureOf(project, 'a.ts');
    project.write({ 'b.ts': 'export const b: number = ;' });
    const [broken] = await failureOf(project, 'a.ts');
    project.write({ 'b.ts': 'enum B { b = 2 }\nexport const b: number = B.b;' });
    expect(missing).toContain("Cannot find module 'b.ts'");
    expect(broken).toBe('MODULE_FAILED b.ts:1:26 The file cannot be compiled: Expression expected.');
    expect(await importFile(project.path('a.ts'))).toMatchObject({ b: 2 });
  });

  it('is blamed for a name that nobody exports', async () => {
    const project = makeProject({
      'a.ts': `import { c } from './b.ts';\nexport const value = c;`,
      'b.ts': 'export const b: number = 1;',
    });
    expect(await failureOf(project, 'a.ts')).toEqual([
      expect.stringMatching(
        /^MODULE_FAILED a\.ts\S* The requested module '\.\/b\.ts' does not provide an export named 'c'/,
      ),
    ]);
  });
});

describe('a linked package', () => {
  const importLinked = (file: string): ReturnType<typeof importFile> => {
    const directory = dirname(file);
    const installed = { name: 'linked', directory, manifest: {} };
    return importFound({ file, package: installed, subpath: '' }, { directory, at: { file } });
  };

  it.each(['ts', 'js'])('in %s is imported as a local file is, and anew after a change', async (ending) => {
    const write = (value: number): string =>
      ending === 'ts'
        ? `enum A { a = ${value} }\nexport const value = A.a;`
        : `export const value = ${value};`;
    const project = makeProject({
      'package.json': '{ "type": "module" }',
      [`linked/index.${ending}`]: write(1),
      'a.ts': `export { value } from 'linked';`,
      'linked/package.json': `{ "name": "linked", "type": "module", "exports": "./index.${ending}" }`,
    });
    mkdirSync(project.path('node_modules'));
    symlinkSync(project.path('linked'), project.path('node_modules/linked'));
    const entry = project.path(`linked/index.${ending}`);
    expect([await importLinked(entry), await importFile(project.path('a.ts'))]).toMatchObject([
      { value: 1 },
      { value: 1 },
    ]);
    project.write({ [`linked/index.${ending}`]: write(2) });
    expect([await importFile(project.path('a.ts')), await importLinked(entry)]).toMatchObject([
      { value: 2 },
      { value: 2 },
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
        /^MODULE_FAILED a\.js(?::\d+)* The file is an ES module, but package\.json has "type": "commonjs"\. Rename it to \.mjs, or set "type": "module" there\.$/,
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
            `^CONFIG_FAILED ${name.replaceAll('.', String.raw`\.`)}:2:1 The code of the config failed: ENOENT: no such file`,
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
      `CONFIG_FAILED ${name}:2:7 The code of the config failed: no tea (thrown when the module was imported).`,
    ]);
  });

  it('in a CommonJS package is not blamed for something else', async () => {
    const project = makeProject({
      'package.json': '{ "type": "commonjs" }',
      'shallot.config.js': 'export default {};',
    });
    const error = await errorOf(loadConfig({ cwd: project.directory }));
    expect(error.code).toBe('CONFIG_FAILED');
    expect(error.message).toContain('Rename it to .mjs, or set "type": "module" there.');
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
    symlinkSync(join(import.meta.dirname, '..', '..', '..'), project.path('node_modules/@shallot/core'));
    expect((await loadConfig({ cwd: project.directory })).config.name).toBe('typed');
  });
});
