import { expect, it } from 'vitest';

import { likeness, nearest } from './nearest.ts';

it.each([
  ['the same letters', 'Memory', 'memory', 0],
  ['a letter too many', 'memmory', 'memory', 1],
  ['a letter too few', 'memry', 'memory', 1],
  ['another letter', 'memery', 'memory', 1],
  ['two letters swapped', 'mmeory', 'memory', 1],
  ['a letter too many in front', 'xmemory', 'memory', 1],
  ['a letter too many at the end', 'memoryx', 'memory', 1],
  ['the first letter missing', 'emory', 'memory', 1],
  ['the last letter missing', 'memor', 'memory', 1],
  ['another first letter', 'nemory', 'memory', 1],
  ['another last letter', 'memort', 'memory', 1],
  ['the first letters swapped', 'emmory', 'memory', 1],
  ['the last letters swapped', 'memoyr', 'memory', 1],
  ['letters swapped at both ends', 'emmoyr', 'memory', 2],
  ['letters swapped, and one too many', 'emmoryx', 'memory', 2],
  ['letters swapped around another', 'yemorm', 'memory', 2],
  ['two letters of six', 'mamery', 'memory', 2],
  ['three letters of six', 'namary', 'memory', Infinity],
  ['one letter of three', 'mcb', 'mcp', 1],
  ['two letters of three', 'acb', 'mcp', Infinity],
  ['the only letter', 'a', 'b', Infinity],
  ['a letter beside the only one', 'a', 'ab', 1],
  ['two letters of five', 'hotel', 'hitul', Infinity],
])('%s', (_, word, other, distance) => {
  expect(likeness(word, other)).toBe(distance);
});

it('the nearest of several words is found, and none where all are too far away', () => {
  expect(nearest('summarisation', ['limits', 'summarization', 'memory'])).toBe('summarization');
  expect(nearest('telemetry', ['limits', 'memory'])).toBeUndefined();
  expect(nearest('telemetry', [])).toBeUndefined();
});

it('of words that are as near, the first is found', () => {
  expect(nearest('limit', ['limits', 'limit2'])).toBe('limits');
  expect(nearest('limit2', ['limits', 'limit2'])).toBe('limit2');
});
