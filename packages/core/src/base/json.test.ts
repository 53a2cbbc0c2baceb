import { expect, it } from 'vitest';

import { isBranded, isObject, memberAt } from './is-object.ts';
import { canonicalJson, frozenCopy, isJsonObject, sameJson } from './json.ts';

it('objects are told from lists and other values', () => {
  expect([{}, [], null, 'a', undefined].map((value) => isJsonObject(value))).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
  expect([{}, [], null, 'a', undefined].map((value) => isObject(value))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

it('a member is found at a path of own members', () => {
  const value = { a: [{ b: 1 }], c: null };
  expect(memberAt(value, ['a', 0, 'b'])).toBe(1);
  expect(memberAt(value, [])).toBe(value);
  for (const path of [['x'], ['c', 'd'], ['toString'], ['a', 1, 'b'], ['a', 'length', 'x']])
    expect(memberAt(value, path)).toBeUndefined();
});

it('a brand is found on any object that can be read', () => {
  const brand = Symbol('brand');
  const unreadable = new Proxy(
    {},
    {
      has() {
        throw new Error('broken');
      },
    },
  );
  expect([{ [brand]: false }, {}, null, unreadable].map((value) => isBranded(value, brand))).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

it('a frozen copy is deep, and leaves other values as they are', () => {
  const date = new Date(0);
  const given = { a: [{ b: 1 }], date, none: Object.assign(Object.create(null) as object, { c: [] }) };
  const copy = frozenCopy(given);
  expect(copy).toEqual(given);
  expect(copy.date).toBe(date);
  expect([copy, copy.a, copy.a[0], copy.none, given, date].map(Object.isFrozen)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
  expect([frozenCopy(null), frozenCopy('a')]).toEqual([null, 'a']);
});

it('equal JSON has one text, whatever the order of its keys', () => {
  expect(canonicalJson({ b: [1, null, 'x'], a: { d: undefined, c: true } })).toBe(
    '{"a":{"c":true},"b":[1,null,"x"]}',
  );
  expect([canonicalJson(undefined), canonicalJson([])]).toEqual(['null', '[]']);
  expect(sameJson({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true);
  expect(sameJson('a', 'a')).toBe(true);
  for (const [a, b] of [
    [{ a: 1 }, { a: 2 }],
    [{}, null],
    [null, {}],
    ['{}', {}],
    [{}, '{}'],
    [1, 2],
    [[1], [1, 2]],
  ])
    expect(sameJson(a, b)).toBe(false);
});
