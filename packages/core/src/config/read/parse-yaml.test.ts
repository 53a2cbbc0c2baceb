import { describe, expect, it } from 'vitest';

import type { ConfigPath } from '../modules/locate.ts';
import { parseYaml } from './parse-yaml.ts';

describe('the place of a value in YAML', () => {
  const text = 'a:\n  b: [1, { c: 2 }]\n? d\ne: &x\n  f: 3\ng: *x\n7: h\n';

  it.each<[ConfigPath, 'key' | 'value', string]>([
    [[], 'value', '1:1'],
    [['a'], 'key', '1:1'],
    [['a'], 'value', '2:3'],
    [['a', 'b'], 'key', '2:3'],
    [['a', 'b', 1, 'c'], 'value', '2:15'],
    [['a', 'b', 1], 'key', '2:10'],
    [['a', 'b', 5], 'value', '2:6'],
    [['a', 'b', 5], 'key', '2:6'],
    [['a', 'b', 'c'], 'value', '2:6'],
    [['d'], 'value', '3:3'],
    [['g', 'f'], 'value', '5:6'],
    [['7'], 'value', '7:4'],
    [['nowhere'], 'value', ''],
  ])('%j (%s) is %s', (path, part, expected) => {
    const { line, column } = parseYaml(text, 'a.yaml').locate(path, part);
    expect(line === undefined ? '' : `${line}:${column}`).toBe(expected);
  });

  it('is the file for an empty text', () => {
    expect(parseYaml('', 'a.yaml').locate([])).toEqual({ file: 'a.yaml' });
  });
});

describe('YAML', () => {
  const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const long = (length: number): string => `a: ${'x'.repeat(length - 3)}`;
  const aliases = (count: number): string => `a: &a 1\nb: [${'*a, '.repeat(count)}]`;

  it.each([
    ['256 KiB', long(256 * 1024)],
    ['200 levels', nested(200)],
    ['an alias', aliases(1)],
    ['a key in quotes', '"a": 1\n\'b\': 2'],
  ])('may have %s', (_, text) => {
    expect(() => parseYaml(text, 'a.yaml')).not.toThrow();
  });

  it.each([
    ['more', long(256 * 1024 + 1), 'it has 262145 characters; the limit is 262144'],
    ['more levels', nested(201), 'it is nested more than 200 levels deep'],
    ['a key that is a list', '[a]: 1', 'a key is not a plain word'],
    ['merge keys', 'a: &a {}\nb:\n  <<: *a', 'merge keys ("<<") are not supported'],
    ['the key __proto__', '__proto__: {}', 'the key "__proto__" is not allowed'],
    ['a key twice', 'a: 1\nb: 2\na: 3', 'the key "a" is a duplicate of line 1; remove one of them'],
    ['an alias without an anchor', 'a: *b', 'there is no anchor &b before the alias *b'],
    ['an alias inside its value', 'a: &a [*a]', 'the alias *a is inside the value that it refers to'],
  ])('may not have %s', (_, text, fault) => {
    expect(() => parseYaml(text, 'a.yaml')).toThrow(fault);
  });

  it('may not grow by aliases of aliases', () => {
    const rows = Array.from({ length: 6 }, (_, at) => `x${at + 1}: &x${at + 1} [${`*x${at}, `.repeat(9)}]`);
    expect(() => parseYaml(['x0: &x0 1', ...rows].join('\n'), 'a.yaml')).toThrow(
      'write the values out instead of using aliases',
    );
  });
});
