import { describe, expect, it } from 'vitest';

import { explodes } from './explodes.ts';
import { unicodePattern } from './unicode-pattern.ts';

describe('a pattern explodes', () => {
  it.each([
    '^(a+)+$',
    '^(a*)*$',
    '(a|a)*b',
    '(a|aa)+$',
    '^(\\w+\\s?)*$',
    '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(.*a){70}',
    '(x+x+)+y',
    '(a?b?)*c',
    '^(?:(?:\\d+,?)+;)*$',
    '([0-9]|\\d)*x',
    '(é|[à-ü])*!',
    '^(?=(a+)+$)b',
    '(?:a{1,100}){1,100}!',
    '(a)\\1',
  ])('when a text can be taken in two ways again and again: %s', (pattern) => {
    expect(explodes(pattern)).toBe(true);
  });

  it.each([
    '^[a-z]+$',
    '^\\d{3}-\\d{4}$',
    '^([a-z]+\\.)*[a-z]+$',
    "^(?:[A-Za-z0-9_'+\\-]+\\.)*[A-Za-z0-9_+\\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
    '^([0-9a-f]{1,4}:){7}[0-9a-f]{1,4}$',
    '^(?!\\.)(?!.*\\.\\.)[a-z.]+$',
    '^(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(\\.(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)){3}$',
    '^https?://[^\\s/$.?#].[^\\s]*$',
    '^\\p{L}+( \\p{L}+)*$',
    '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?$',
    '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{12}$',
    '^([0-9a-f]{32},)*$',
    '^(/[^/~]*(~[01][^/~]*)*)*$',
    '.*a.*b.*c',
    '',
    '^$',
    'a||b',
    '^(?:(a+)+){0}b$',
  ])('and not when it cannot: %s', (pattern) => {
    expect(explodes(pattern)).toBe(false);
  });
});

describe('to judge a pattern', () => {
  it.each([
    'a*'.repeat(2000),
    `${'('.repeat(500)}a${')*'.repeat(500)}`,
    '([a-z]{1,64}){1,64}',
    `${'('.repeat(8)}a${'){64}'.repeat(8)}`,
    `(${Array.from({ length: 400 }, (_, index) => `w${index}`).join('|')})+`,
    '[a-z]?'.repeat(1000),
    `(${'[a-z]?'.repeat(200)}x)*`,
  ])('takes no longer than the pattern is worth: %#', (pattern) => {
    const began = performance.now();
    expect(typeof explodes(pattern)).toBe('boolean');
    // Without its bounds, it would take hours.
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});

describe('a pattern without the u flag', () => {
  it.each([
    ['^[\\w-.]+$', ['a-b.c'], ['a b']],
    ['^\\d{3}\\-\\d{4}$', ['123-4567'], ['1234567']],
    ['^\\_\\@\\"$', ['_@"'], ['_']],
    ['^{a}$', ['{a}'], ['a']],
    ['^a]$', ['a]'], ['a']],
    ['^[\\d-x]$', ['-', '7', 'x'], ['w']],
    ['^[^\\w-\\.]$', ['!'], ['a', '-', '.']],
  ])('means the same with it: %s', (pattern, fits, others) => {
    expect(() => new RegExp(pattern, 'u')).toThrow(SyntaxError);
    const written = unicodePattern(pattern) ?? '';
    for (const [texts, isMatch] of [
      [fits, true],
      [others, false],
    ] as const) {
      for (const text of texts) {
        expect(new RegExp(pattern).test(text)).toBe(isMatch);
        expect(new RegExp(written, 'u').test(text)).toBe(isMatch);
      }
    }
  });

  it('stays as it is if it compiles with it, and is none if it does not compile at all', () => {
    expect(unicodePattern('^\\p{L}$')).toBe('^\\p{L}$');
    expect(unicodePattern('(')).toBeUndefined();
  });
});
