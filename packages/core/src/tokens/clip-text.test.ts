import { expect, it } from 'vitest';

import { clipText } from './clip-text.ts';

it.each<readonly [string, number, string, number | undefined, string]>([
  ['abcdef', 6, '…', undefined, 'abcdef'],
  ['abcdef', 5, '…', undefined, 'ab…ef'],
  ['abcdef', 4, '…', undefined, 'ab…f'],
  ['abcdef', 5, '…', 1, 'abcd…'],
  ['abcdef', 5, '…', 0, '…cdef'],
  ['abcdefgh', 5, '…', 0.25, 'a…fgh'],
  ['abcdef', 1, '…', undefined, '…'],
  ['abcdef', 0, '[cut]', undefined, '[cut]'],
  ['a😀bcd😀e', 7, '…', undefined, 'a😀…😀e'],
  ['a😀bcd😀e', 6, '…', undefined, 'a😀…e'],
  ['a😀bcd😀e', 5, '…', undefined, 'a…e'],
])('%s in %d characters with %s and a share of %s is %s', (text, maxLength, note, share, clipped) => {
  expect(clipText(text, maxLength, note, share)).toBe(clipped);
});
