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

describe('a pattern is analysed', () => {
  const choice = (count: number): string => `(?:${Array.from({ length: count }, () => 'a').join('|')})`;

  it.each([
    ['1,000 places', 'a'.repeat(1000), 'a'.repeat(1001)],
    ['64 copies of a repeated part', '(a{64})*b', '(a{65})*b'],
    ['64 optional copies', '(?:a{1,64}c)*b', '(?:a{1,65}c?)*b'],
    ['50,000 transitions', `${choice(200)}${choice(250)}`, `cd|${choice(200)}${choice(250)}`],
  ])('up to %s', (_, analysed, refused) => {
    expect([explodes(analysed), explodes(refused)]).toEqual([false, true]);
  });

  it.each([
    ['a character after a range', '[^\\u0000-\\u0200]'],
    ['a character before a range', '[^\\u0000-\\u2c5e\\u2c62-\\u{10ffff}]'],
  ])('with %s', (_, range) => {
    expect(explodes(`(?:${range}|\\p{Script=Latin})*!`)).toBe(true);
    expect(explodes(`(?:${range}|[a-z])*!`)).toBe(false);
  });

  it.each(['\\u{10ffff}', '\\u{1f601}', '\\u2029', '\\x80', '\\xff', 'ÿ', '😁', '\\0'])(
    'with the character %s, however it is written',
    (written) => {
      expect(explodes(`(?:${written}|[${written}])*!`)).toBe(true);
      expect(explodes(`(?:${written}|b)*!`)).toBe(false);
    },
  );

  it.each([
    ['(?:a{0}b)*', false],
    ['(?:a{0,0}b?)*', false],
    ['(?:a{2}|a{3})*', true],
    ['(?:a{2}b|a{3}b)*', false],
    ['(?:a{65,}b)*', false],
    ['(?:a{65,})*', true],
    ['(?:(?:a{0,65}b?)c)*', false],
    ['(?:a{0,65})*', true],
    ['^([a-z0-9]{1,63}\\.)+[a-z]{2,}$', false],
    ['^(?:[a-z]{2,5}-)*x$', false],
    ['(?:a{0,3}b)*', false],
    ['(?:(?:ab?){1,3}c)*', false],
    ['(?:(?:a?){0,3}c)*', false],
    ['(?:(?:a?){1,3}c)*', true],
    ['(?:(?:a?){2}c)*', true],
    ['(?:(?:a|aa){1,2}c)*', true],
    ['(?:(?:a{1,2}){1,2}c)*', true],
    ['(?:a{1,3})*', true],
    ['(?:a{0,2}b{0,2})*', true],
    ['(?:a?){65,}', true],
    ['(?:ba{0,65}b|bb)*', true],
    ['(?:ba{1,65}b|bb)*', false],
    ['(?:ba{65,}b|bb)*', false],
    ['(?:a?)*', false],
    ['(?:a?)+', false],
    ['(?:(?=a)b)*', false],
    ['(?:(?=(?:a*)*b)c)*', true],
    ['(?:(?!(?<=(?:a|a)*b)c)d)*', true],
    ['(?:ab|ba)*', false],
    ['(?:ab|aba|b)*', true],
    ['(?:a|b|ab)*c', true],
    ['(?:a*b*)c', false],
    ['a*a*a*', false],
    ['(?:a*a*b)*', true],
    ['(?:a*b+)*', true],
    ['(?:a*b)*', false],
    ['(?:a*b*)*c', true],
  ])('%s explodes: %s', (pattern, does) => {
    expect(explodes(pattern)).toBe(does);
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
    ['^[\\_a\\-c]$', ['_', 'a', '-', 'c'], ['b']],
    ['^[x-\\d]$', ['-', '7', 'x'], ['w', 'y']],
    ['^[.-\\w]$', ['-', '.', 'a'], ['/']],
    ['^[^.-\\s]$', ['/', 'a'], ['-', '.', ' ']],
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
