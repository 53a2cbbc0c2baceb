import { describe, expect, it } from 'vitest';

import { fitsPattern } from './fits-pattern.ts';

describe('a pattern with stars', () => {
  it.each([
    ['delete_file', 'delete_file'],
    ['delete_*', 'delete_'],
    ['delete_*', 'delete_file'],
    ['*_file', 'delete_file'],
    ['*', ''],
    ['**', 'anything'],
    ['a*b*c', 'aXbYc'],
    ['a*b*c', 'abbcc'],
    ['a*\n*b', 'a\nb'],
    ['*ab*', 'aab'],
  ])('%j fits %j', (pattern, text) => expect(fitsPattern(pattern, text)).toBe(true));

  it.each([
    ['', 'a'],
    ['delete_file', 'delete_files'],
    ['delete_*', 'Delete_file'],
    ['ab*ba', 'aba'],
    ['a*b*b', 'ab'],
    ['a.c', 'abc'],
    ['a*c*', 'ab'],
    ['*b*a*', 'ab'],
  ])('%j does not fit %j', (pattern, text) => expect(fitsPattern(pattern, text)).toBe(false));

  it('of many stars is decided at once', () => {
    expect(fitsPattern(`${'*a'.repeat(5000)}*b`, 'a'.repeat(20_000))).toBe(false);
    expect(fitsPattern(`${'*a'.repeat(5000)}*`, 'a'.repeat(20_000))).toBe(true);
  });
});
