import { describe, expect, it } from 'vitest';

import { beginningSource, secretsInValue, secretsOf, valueSource } from './secret-values.ts';

it('a value of eight characters is a secret, a shorter one is not', () => {
  expect(secretsOf({ API_KEY: '12345678', DB_PASSWORD: '1234567' })).toEqual(['12345678']);
});

describe('the secrets of a variable', () => {
  it.each([
    [
      'of keys in a list',
      { API_KEYS: 'a123456789012345, b123456789012345;c12345678901234' },
      ['a123456789012345, b123456789012345;c12345678901234', 'a123456789012345', 'b123456789012345'],
    ],
    ['of white space around a value', { API_KEY: ' 12345678 ' }, ['12345678']],
    ['of white space alone', { API_KEY: '         ' }, []],
    [
      'of JSON',
      { A_SECRET: '{"user":"someone-somewhere","token":"abcdefgh01234567"}' },
      ['{"user":"someone-somewhere","token":"abcdefgh01234567"}', 'abcdefgh01234567', 'abcdefgh01234567'],
    ],
    ['of what only looks like JSON', { A_SECRET: '{abcdefgh01234567}' }, ['{abcdefgh01234567}']],
    ['of a URL', { DATABASE_URL: 'postgres://app:p%40ssw0rd@db/x' }, ['p%40ssw0rd', 'p@ssw0rd']],
    ['of a short password in a URL', { DATABASE_URL: 'postgres://app:p4ssw0r@db/x' }, []],
    [
      'of a URL that is not encoded',
      { DATABASE_URL: 'postgres://app:p%ssw0rd@db' },
      ['p%ssw0rd', 'p%ssw0rd'],
    ],
    [
      'of headers',
      { OTLP_HEADERS: 'a=Bearer%20value-23,b=short,no-sign-1' },
      ['Bearer value-23', 'value-23', 'no-sign-1', 'no-sign-1'],
    ],
    ['of public variables', { MAX_TOKENS: '12345678', AGENT_NAME: 'bee-club' }, []],
    ['of nothing', { API_KEY: undefined, A_TOKEN: '' }, []],
  ])('%s', (_, environment, secrets) => {
    expect(secretsOf(environment)).toEqual(secrets);
  });

  it('are parts of 16 characters', () => {
    expect(secretsInValue('1234567 123456789012345 1234567890123456')).toEqual([
      '1234567 123456789012345 1234567890123456',
      '1234567890123456',
    ]);
  });
});

describe('the pattern of known secrets', () => {
  const found = (secret: string, text: string): string | undefined =>
    new RegExp(valueSource([secret]) ?? '(?!)').exec(text)?.[0];

  it('is none for none', () => {
    expect([valueSource([]), beginningSource([]), beginningSource(['plain'])]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('finds the longest first', () => {
    expect(new RegExp(valueSource(['abcdefgh', 'abcdefghi']) ?? '').exec('abcdefghi')?.[0]).toBe('abcdefghi');
  });

  it.each([
    ['plain', 'a b\tc+d/e', 'a b\tc+d/e'],
    ['in JSON', 'a b\tc+d/e', String.raw`a b\tc+d\/e`],
    ['in JSON by its codes', 'a b\tc+d/e', String.raw`a\u0020b\u0009c\u002bd\u002Fe`],
    ['in a URL', 'a b\tc+d/e', 'a%20b%09c%2bd%2Fe'],
    ['in a form', 'a b\tc+d/e', 'a+b%09c%2Bd%2fe'],
    ['beyond ASCII', 'a🐝b12345', String.raw`a\ud83d\uDC1Db12345`],
    ['without the signs around it', '"abcdefgh"', 'abcdefgh'],
    ['with the signs around a short one', '"abcdefg"', '"abcdefg"'],
  ])('finds it %s', (_, secret, text) => {
    expect(found(secret, `<${text}>`)).toBe(text);
  });

  it('finds it in base64, wherever it stands there', () => {
    const secret = 'abc?def>ghi';
    for (const before of ['', 'x', 'xy', 'xyz'])
      for (const encoding of ['base64', 'base64url'] as const) {
        const text = Buffer.from(`${before}${secret}zz`).toString(encoding);
        const match = found(secret, text) ?? '';
        // Characters at the ends depend on what stands beside the secret, too.
        expect(match.length).toBeGreaterThanOrEqual(Math.floor((secret.length * 8) / 6) - 1);
      }
    expect(found('abcde', Buffer.from('abcde').toString('base64'))).toBeUndefined();
    expect(found('abcdef', Buffer.from('abcdef').toString('base64'))).toBe('YWJjZGVm');
  });

  it('finds the beginning of one with a space at the end of a text', () => {
    const begins = new RegExp(beginningSource(['correct horse battery', ' x y']) ?? '(?!)');
    for (const text of [
      'correct ',
      'correct%20',
      'correct+',
      'correct horse ',
      'correct  ',
      'a x',
      'correct horse',
    ])
      expect([text, begins.test(text)]).toEqual([text, true]);
    for (const text of ['correct horse battery', 'corr ', 'correct h', 'a horse ', 'y', 'correct     '])
      expect([text, begins.test(text)]).toEqual([text, false]);
  });
});
