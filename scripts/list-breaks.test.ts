import { expect, it } from 'vitest';

import { applyBreak, listBreaks } from './list-breaks.ts';

it.each([
  ['a === b', ['a !== b']],
  ['a /* < */ <= b', ['a /* < */ < b']],
  ['a && b', ['a || b']],
  ['a ?? b', ['a && b']],
  ['!a', ['a']],
  ['const a = 7', ['const a = 8']],
  ['const a = true', ['const a = false']],
  ['`${a}` + b', []],
  ['const a = b ? c : d', ['const a = !(b) ? c : d']],
  ['close(a);', [';']],
  ['await close(a);', [';']],
  ['const a = close(b);', []],
  ['type A = B | undefined | false | 7', []],
])('%s has the breaks %j', (text, broken) => {
  expect(listBreaks('a.ts', text).map((each) => applyBreak(text, each))).toEqual(broken);
});
