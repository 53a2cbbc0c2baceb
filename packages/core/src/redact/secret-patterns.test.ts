import { assert, constantFrom, property, array } from 'fast-check';
import { describe, expect, it } from 'vitest';

import { hasSecretSign, secretPatternSource } from './secret-patterns.ts';

const pattern = new RegExp(secretPatternSource, 'i');

describe('The sign of a secret', () => {
  it.each([
    ['the shortest token', 'xoxb-0123456789'],
    ['a token in pieces', 'eyJabcdefgh.abcdefgh'],
    ['a webhook', 'hooks.slack.com/services/abcdefgh'],
    ['a private key', '-----begin private key-----'],
    ['a password in a URL', 'x://:p@'],
    ['a scheme', 'BEARER abcdefg1'],
    ['an escaped scheme', 'basic%20abcdefg1'],
  ])('stands in %s', (_, secret) => {
    expect(secret).toMatch(pattern);
    expect(hasSecretSign(`It is ${secret} here.`)).toBe(true);
  });

  it('stands in whatever a pattern matches', () => {
    const pieces = constantFrom(
      'sk-',
      'xoxb-',
      'eyJ',
      'SG.',
      'ghp_',
      '-----BEGIN ',
      'PRIVATE KEY',
      '-----',
      'Bearer ',
      'basic+',
      '://',
      '@',
      ':',
      '.',
      ' ',
      'a1',
      'AKIA',
      '0123456789',
      'abcdefgh',
    );
    assert(
      property(
        array(pieces, { maxLength: 12 }).map((each) => each.join('')),
        (text) => !pattern.test(text) || hasSecretSign(text),
      ),
      { numRuns: 5000 },
    );
  });

  it('is a word of 15 characters, wherever it stands', () => {
    const word = 'abc-DEF_012.x/y';
    expect(word).toHaveLength(15);
    for (const text of [word, `a ${word}`, `${word} a`]) expect(hasSecretSign(text)).toBe(true);
    for (const text of [word.slice(1), `é${word.slice(1)}`, `${word.slice(1)} ${word.slice(1)}`])
      expect(hasSecretSign(text)).toBe(false);
  });

  it('does not stand in prose, code or a URL', () => {
    for (const text of ['The queen was seen at noon.', 'const a = b.c(1);', 'see https://a.dev/b'])
      expect(hasSecretSign(text)).toBe(false);
  });
});
