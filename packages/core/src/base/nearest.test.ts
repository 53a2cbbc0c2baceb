import { expect, it } from 'vitest';

import { likeness, nearest } from './nearest.ts';

it.each([
  ['the same letters', 'Memory', 'memory', 0],
  ['a letter too many', 'memmory', 'memory', 1],
  ['a letter too few', 'memry', 'memory', 1],
  ['another letter', 'memery', 'memory', 1],
  ['two letters swapped', 'mmeory', 'memory', 1],
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
