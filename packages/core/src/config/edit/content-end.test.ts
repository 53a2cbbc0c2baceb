import { expect, it } from 'vitest';

import { lineEnd, lineStart } from './content-end.ts';

it.each([
  ['|', '|'],
  ['a|b', '|ab'],
  ['a\n|b', 'a\n|b'],
  ['a\nb|', 'a\n|b'],
  ['a|\nb', '|a\nb'],
  ['\n|a', '\n|a'],
  ['|\na', '|\na'],
])('the line of %j starts at the mark of %j', (marked, expected) => {
  const text = marked.replace('|', '');
  const start = lineStart(text, marked.indexOf('|'));
  expect(`${text.slice(0, start)}|${text.slice(start)}`).toBe(expected);
});

it.each([
  ['|', '|'],
  ['|a', 'a|'],
  ['a|b\nc', 'ab|\nc'],
  ['a|b\r\nc', 'ab|\r\nc'],
  ['ab\n|c', 'ab|\nc'],
  ['a\n\n|c', 'a\n|\nc'],
  ['\n|c', '|\nc'],
])('the line of %j ends at the mark of %j', (marked, expected) => {
  const text = marked.replace('|', '');
  const end = lineEnd(text, marked.indexOf('|'));
  expect(`${text.slice(0, end)}|${text.slice(end)}`).toBe(expected);
});
