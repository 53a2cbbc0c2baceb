import { expect, it } from 'vitest';

import { lineNestedDeeper } from './line-nested-deeper.ts';

it.each([
  ['brackets as deep as allowed', '[[[]]]', undefined],
  ['brackets one deeper', 'a\n[[[\n[', 3],
  ['braces and brackets together', '[{[{', 1],
  ['many brackets that are closed again', '{}\n[]\n'.repeat(50), undefined],
  ['closing brackets that nothing opened', ']]]]\n[[[', undefined],
  ['opening ones after those', ']]]]\n[[[[', 2],
  ['lines as indented as allowed', '      a', undefined],
  ['a line that is indented more', 'a\n       b', 2],
  ['list markers', '- - - - - - a', 1],
  ['dashes that are no markers', '---------a', undefined],
])('%s', (_, text, line) => {
  expect(lineNestedDeeper(text, 3)).toBe(line);
});
