import { writeFileSync } from 'node:fs';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { makeProject } from '../../../test/test-project.ts';
import { placeOfSyntax, stripTypes } from './strip-types.ts';

const source = 'const a: number = 1;';
const code = 'const a         = 1;';

describe('the types of a source', () => {
  it.each<[string, (url: string) => unknown, string]>([
    ['as they are in the compile cache', (url) => ({ url, source, code: 'kept' }), 'kept'],
    ['unless the source is another one', (url) => ({ url, source: '', code: 'kept' }), code],
    ['unless the URL is another one', () => ({ url: 'file:///b.ts', source, code: 'kept' }), code],
    ['unless there is no code', (url) => ({ url, source }), code],
    ['unless the cache is damaged', () => 5, code],
  ])('are stripped, %s', (_, kept, expected) => {
    enableCompileCache();
    const url = `file://${makeProject({}).path('a.ts')}`;
    const file = join(getCompileCacheDir() ?? '', `${encodeURIComponent(url).slice(-150)}.stripped.json`);
    writeFileSync(file, JSON.stringify(kept(url)));
    for (const _again of [1, 2]) expect(stripTypes(source, url).split('\n')[0]).toBe(expected);
  });

  it('are refused without a warning that stripping is experimental', () => {
    const { emitWarning } = process;
    expect(() => stripTypes('enum A { B }', 'file:///c.ts')).toThrow(SyntaxError);
    expect(process.emitWarning).toBe(emitWarning);
  });
});

it.each([
  ['file:///a.ts:3\n  enum A\n  ^^^^\n\nSyntaxError', { line: 3, column: 3 }],
  ['file:///a.ts:3\n  enum A\n\nSyntaxError: ^', { line: 3 }],
  ['SyntaxError: no place', undefined],
  [undefined, undefined],
])('the place of refused syntax begins the stack: %j', (stack, place) => {
  const error = new SyntaxError('refused');
  if (stack === undefined) delete error.stack;
  else error.stack = stack;
  expect(placeOfSyntax(error)).toEqual(place);
});
