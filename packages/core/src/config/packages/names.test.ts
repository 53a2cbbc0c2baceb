import { expect, it } from 'vitest';

import { splitName } from './find-package.ts';
import { isModuleFile, isPath, isTypeScript, looksLikeFile, shortName } from './names.ts';
import { pluginCandidates } from './plugin-candidates.ts';

it.each([
  ['./a.ts', true, true, true, false],
  ['../a.mjs', true, true, false, false],
  ['/a.cts', true, true, true, false],
  ['..', true, false, false, false],
  ['a/b.tsx', false, true, true, true],
  ['a.d.ts', false, false, true, false],
  ['a.d.mts', false, false, true, false],
  ['.a', false, false, false, false],
  ['...', false, false, false, false],
  ['@acme/tools', false, false, false, false],
  ['a.json', false, false, false, false],
])('%s: a path %s, a module %s, TypeScript %s, like a file %s', (name, ...expected) => {
  expect([isPath, isModuleFile, isTypeScript, looksLikeFile].map((is) => is(name))).toEqual(expected);
});

it.each([
  ['memory', 'memory', ['memory', '@shallot/plugin-memory', 'shallot-plugin-memory']],
  ['@shallot/plugin-memory', 'memory', ['@shallot/plugin-memory']],
  ['shallot-plugin-tea', 'tea', ['shallot-plugin-tea']],
  ['@acme/tea', '@acme/tea', ['@acme/tea', '@acme/shallot-plugin-tea']],
  ['@acme/shallot-plugin-tea', '@acme/tea', ['@acme/shallot-plugin-tea']],
  ['@acme/tea/extra', '@acme/tea/extra', ['@acme/tea/extra']],
  ['tea/extra', 'tea/extra', ['tea/extra']],
])('the plugin %s is called %s, and may be the packages %j', (name, short, candidates) => {
  expect(shortName(name)).toBe(short);
  expect(pluginCandidates(name)).toEqual(candidates);
});

it.each([
  ['tea', 'tea', ''],
  ['tea/a/b.js', 'tea', 'a/b.js'],
  ['@acme/tea', '@acme/tea', ''],
  ['@acme/tea/a/b.js', '@acme/tea', 'a/b.js'],
])('the specifier %s is %s and %j', (specifier, name, subpath) => {
  expect(splitName(specifier)).toEqual({ name, subpath });
});
