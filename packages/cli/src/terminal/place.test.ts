import { expect, it } from 'vitest';

import { shortPaths } from './place.ts';

it.each([
  ['/a/b/t.ts is wrong', 't.ts is wrong'],
  ['See "/a/b/c/t.ts" (/a/b/x.yaml:2:9).', 'See "c/t.ts" (x.yaml:2:9).'],
  ['No module in /a/b/ matches', 'No module in /a/b/ matches'],
  ['/a/b and /a/bc/t.ts and /x/a/b/t.ts', '/a/b and /a/bc/t.ts and /x/a/b/t.ts'],
  ['file:///a/b/t.ts', 'file:///a/b/t.ts'],
])('paths below the working directory are shortened: %s', (text, short) => {
  expect(shortPaths(text, '/a/b')).toBe(short);
  expect(shortPaths(text, '/')).toBe(text);
});
