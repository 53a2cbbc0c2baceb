import { expect, it } from 'vitest';

import { knowing } from './knowing.ts';

const members = knowing({ tap: 1, intercept: 2 }, 'beforeModel', 'mine', { tapAsync: 'Use tapPromise.' });

it.each([
  ['taps', 'There is no "taps" in beforeModel. Did you mean "tap"?'],
  ['tapAsync', 'There is no "tapAsync" in beforeModel. Use tapPromise.'],
  ['quiteElse', 'There is no "quiteElse" in beforeModel. There are tap, intercept.'],
])('the unknown member "%s" is refused with advice', (name, message) => {
  expect(() => Reflect.get(members, name) as unknown).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID', plugin: 'mine', message }),
  );
});

it('known members, and those that JavaScript reads of any object, are read as usual', async () => {
  expect([members.tap, members.intercept]).toEqual([1, 2]);
  expect(Reflect.get(members, Symbol.iterator)).toBeUndefined();
  expect(Reflect.get(members, 'constructor')).toBe(Object);
  expect(Reflect.get(members, 'toString')).toBe(Object.prototype.toString);
  expect(JSON.stringify(members)).toBe('{"tap":1,"intercept":2}');
  expect(await Promise.resolve(members)).toBe(members);
  expect(Object.isFrozen(members)).toBe(true);
});
