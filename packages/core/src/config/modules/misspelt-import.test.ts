import { pathToFileURL } from 'node:url';

import { expect, it } from 'vitest';

import { makeProject } from '../../../test/test-project.ts';
import { misspeltImport } from './misspelt-import.ts';

/** The error of Node for an import that cannot be linked. */
function refusal(module: string, name: string, Kind = SyntaxError): Error {
  const error = new Kind(`The requested module '${module}' does not provide an export named '${name}'`);
  error.stack = `${error.name}: ${error.message}`;
  return error;
}

const project = () =>
  makeProject({
    'node_modules/teas/package.json': '{ "name": "teas", "exports": "./index.mjs" }',
    'a.mjs': '',
    'node_modules/teas/index.mjs': 'export const brewTea = 1; export const pour = 2;',
  });

it.each([
  ['brewTae', '"teas" exports no "brewTae". Did you mean "brewTea"?'],
  ['puor', '"teas" exports no "puor". Did you mean "pour"?'],
  ['somethingElse', undefined],
])('an import of %s from a package may be misspelt', async (name, expected) => {
  expect(await misspeltImport(refusal('teas', name), project().path('a.mjs'))).toBe(expected);
});

it('an import is misspelt as seen from the module that the error names', async () => {
  const { path } = project();
  const error = refusal('teas', 'puor');
  error.stack = `${pathToFileURL(path('a.mjs')).href}:1\n\n${error.stack}`;
  expect(await misspeltImport(error, '/nowhere/b.mjs')).toContain('Did you mean "pour"?');
  expect(await misspeltImport(refusal('coffees', 'puor'), path('a.mjs'))).toBeUndefined();
});

it('an import of a short name or of a file, and any other error, is not looked at', () => {
  const file = project().path('a.mjs');
  expect(misspeltImport(refusal('teas', 'por'), file)).toBeUndefined();
  expect(misspeltImport(refusal('./teas.mjs', 'puor'), file)).toBeUndefined();
  expect(misspeltImport(refusal('teas', 'puor', TypeError), file)).toBeUndefined();
  expect(misspeltImport(new SyntaxError('Unexpected token'), file)).toBeUndefined();
});
