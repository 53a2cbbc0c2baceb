import { expect, it } from 'vitest';

import { behindQuoted, quotedAt } from './quoted-at.ts';

it.each([
  [`"a"b`, 'a', 'b'],
  [`'a"b' c`, 'a"b', ' c'],
  ['`a`', 'a', ''],
  ['""', '', ''],
  ['"a\nb"', 'a', '\nb"'],
  ['"a', 'a', ''],
  ['"', '', ''],
  [String.raw`"a\"b" c`, String.raw`a\"b`, ' c'],
  [String.raw`"a\\" c`, String.raw`a\\`, ' c'],
  [String.raw`"a\\\" c`, String.raw`a\\\" c`, ''],
  [String.raw`"\"a" c`, String.raw`\"a`, ' c'],
  [String.raw`\"a\" c`, 'a', ' c'],
  [String.raw`\"a\\\"b\" c`, String.raw`a\\\"b`, ' c'],
  [String.raw`\"a\\\\\" c`, String.raw`a\\\\`, ' c'],
  [String.raw`\\\"a\\\\\\\"b\\\" c`, String.raw`a\\\\\\\"b`, ' c'],
  [String.raw`\"a" c`, 'a" c', ''],
])('in %s, %j is quoted, and %j stands behind it', (text, inside, behind) => {
  const quoted = quotedAt(text, 0);
  expect(text.slice(quoted?.start, quoted?.end)).toBe(inside);
  expect(text.slice(behindQuoted(text, 0))).toBe(behind);
});

it('only a quote at the place itself counts', () => {
  expect([quotedAt('a"b"', 0), quotedAt('a"b"', 1)]).toEqual([
    undefined,
    { start: 2, end: 3, isQuoted: true },
  ]);
  expect(behindQuoted('a"b"', 0)).toBe(1);
});
