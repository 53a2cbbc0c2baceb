import { describe, expect, it } from 'vitest';

import { describeValue, kindOf, showValue } from './describe-value.ts';

it.each([
  [undefined, 'undefined'],
  [null, 'null'],
  [[], 'an array'],
  [{}, 'an object'],
  [() => {}, 'a function'],
])('the kind of %o is %s', (value, kind) => {
  expect(kindOf(value)).toBe(kind);
});

it.each([
  ['x'.repeat(61), `"${'x'.repeat(60)}"`],
  [7, 'the number 7'],
  [true, 'the boolean true'],
  [[1], 'an array'],
  [null, 'null'],
  [{}, 'an object with the keys (none)'],
  [{ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7 }, 'an object with the keys a, b, c, d, e, f'],
])('an error names %o without what it holds', (value, name) => {
  expect(describeValue(value)).toBe(name);
});

describe('a value that was written', () => {
  it.each([
    [undefined, 'nothing'],
    [7n, '7'],
    [function named() {}, 'the function named'],
    [{ a: 'b\n c' }, String.raw`{"a":"b\n c"}`],
    ['x'.repeat(58), `"${'x'.repeat(58)}"`],
    ['x'.repeat(59), `"${'x'.repeat(56)}…`],
  ])('%o is shown on one short line', (value, shown) => {
    expect(showValue(value)).toBe(shown);
  });

  it('that is cyclic is shown by its kind', () => {
    const value: Record<string, unknown> = {};
    value['self'] = value;
    expect(showValue(value)).toBe('[object Object]');
  });
});
