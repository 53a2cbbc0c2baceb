import { expect, it } from 'vitest';

import { isPromise } from './is-promise.ts';

it.each<[string, unknown, boolean]>([
  ['a promise', Promise.resolve(), true],
  ['an object with a method then', { then() {} }, true],
  ['an object with another then', { then: 1 }, false],
  ['an object', {}, false],
  ['a function with a method then', Object.assign(() => undefined, { then() {} }), false],
  ['null', null, false],
  ['nothing', undefined, false],
  ['a string', 'then', false],
])('a promise is told by its then: %s', (_, value, is) => {
  expect(isPromise(value)).toBe(is);
});
