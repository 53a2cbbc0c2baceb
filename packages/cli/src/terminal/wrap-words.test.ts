import { expect, it } from 'vitest';

import { wrapWords } from './wrap-words.ts';

it.each([
  ['Allow the call of add?', 30, 'Allow the call of add?'],
  ['A line goes on after a backslash', 12, 'A line goes\non after a\nbackslash'],
  ['a very-long-word-indeed b', 8, 'a\nvery-long-word-indeed\nb'],
  ['one\n\n  two three', 7, 'one\n\n  two\nthree'],
  ['\u001b[1mbold words\u001b[22m here', 10, '\u001b[1mbold words\u001b[22m\nhere'],
  ['', 5, ''],
])('breaks %j to %i columns at spaces', (text, columns, expected) => {
  expect(wrapWords(text, columns)).toBe(expected);
});
