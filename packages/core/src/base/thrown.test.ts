import { expect, it } from 'vitest';

import { asThrown, messageOf, reasonOf, systemCode } from './thrown.ts';

const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;
const broken = {
  get message(): string {
    throw new Error('broken');
  },
};

it.each([
  ['text', 'text'],
  ['', 'an empty string'],
  [new Error('failed'), 'failed'],
  [new TypeError(''), 'TypeError'],
  [{ message: 'failed' }, 'failed'],
  [{ message: '' }, '{"message":""}'],
  [{ message: 7 }, '{"message":7}'],
  [{ code: 1 }, '{"code":1}'],
  [undefined, 'undefined'],
  [null, 'null'],
  [7, '7'],
  [Symbol('s'), 'Symbol(s)'],
  [cyclic, '[object Object]'],
  [broken, 'an error with an unreadable message'],
])('a thrown value has a message', (thrown, message) => {
  expect(messageOf(thrown)).toBe(message);
});

it('a message within a sentence has no full stop', () => {
  expect([reasonOf('Failed.'), reasonOf('Failed'), reasonOf('a.b')]).toEqual(['Failed', 'Failed', 'a.b']);
});

it('nothing that was thrown becomes an error', () => {
  expect([asThrown(undefined), asThrown(null)]).toEqual([
    new Error('undefined was thrown'),
    new Error('null was thrown'),
  ]);
  expect([asThrown(0), asThrown('')]).toEqual([0, '']);
});

it('the code of a system error is a string of an error', () => {
  const withCode = (code: unknown): Error => Object.assign(new Error('x'), { code });
  expect(systemCode(withCode('ENOENT'))).toBe('ENOENT');
  for (const other of [withCode(7), new Error('x'), { code: 'ENOENT' }, undefined])
    expect(systemCode(other)).toBeUndefined();
});
