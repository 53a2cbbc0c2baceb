import { expect, it } from 'vitest';

import { firstJsonError } from './first-json-error.ts';

it.each([
  ['{ "a": 1, |}'],
  ['{ "a" |1 }'],
  ['{ |a: 1 }'],
  ['{ |1: 1 }'],
  ['{ |: 1 }'],
  ['{ "a": |, }'],
  ['{ "a": |: 1 }'],
  ['{ "a": 1 |"b": 2 }'],
  ['{ "a": 1 |: 2 }'],
  ['{ "a": 1 |]'],
  ['{ "a" |}'],
  ['{ "a": |}'],
  ['{ |{} }'],
  ['{ "a": { } |{ } }'],
  ['[ 1, |]'],
  ['[ |, 1 ]'],
  ['[ 1 |2 ]'],
  ['[ 1 |}'],
  ['[ "a" |: 1 ]'],
  ['[ |: 1 ]'],
  ['[ 1 |[ ] ]'],
  ['[ |01 ]'],
  ['[ |+1 ]'],
  ['[ |.5 ]'],
  ['[ |1. ]'],
  ['[ |1e ]'],
  ['[ |truth ]'],
  ['[ |"a\n" ]'],
  ['[ |"\\x" ]'],
  ['[ |"\\u00g0" ]'],
  ["[ |'a' ]"],
  ['[ -1.5e+3, 0, true, false, null, "\\u00e9\\n", {}, [], [[]], { "a": {} } ] |x'],
  ['{} |,'],
  ['{} |}'],
  ['1 |2'],
  ['|,'],
  ['|]'],
  ['|'],
  ['  |'],
  ['[ 1, \n |'],
  ['[ |// a'],
])('the first error is at the mark of %j', (marked) => {
  const at = marked.indexOf('|');
  const text = marked.replace('|', '');
  expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  expect(text.slice(0, firstJsonError(text))).toBe(text.slice(0, at));
});
