import { expect, it } from 'vitest';

import { decodeText, encodeText, parseFrozen } from './encode-text.ts';

it.each([
  ['plain', 'plain'],
  ['', ''],
  ['a "quote" and a \\', String.raw`a \"quote\" and a \\`],
  ['line\nnul\0', String.raw`line\nnul\u0000`],
  ['\ud800 alone', String.raw`\ud800 alone`],
  ['😀', '😀'],
])('%j is encoded without characters that a database refuses', (text, encoded) => {
  expect(encodeText(text)).toBe(encoded);
  expect(decodeText(encoded)).toBe(text);
});

it('a stored value is parsed, and frozen all the way down', () => {
  const value = parseFrozen('{"a":[{}]}') as { readonly a: readonly object[] };
  expect(value).toEqual({ a: [{}] });
  expect([value, value.a, value.a[0]].map(Object.isFrozen)).toEqual([true, true, true]);
  expect(() => parseFrozen('{')).toThrow(SyntaxError);
});
