import { expect, it } from 'vitest';

import { headerFault } from './header-fault.ts';

it.each([
  ['Authorization', 'Bearer abc', undefined],
  ['x-odd', ' é\t\n', undefined],
  ['x-odd', '', undefined],
  ['x odd', 'a', 'its name contains a character that HTTP does not allow there'],
  ['', 'a', 'its name contains a character that HTTP does not allow there'],
  ['x-odd', 'a\nb', 'its value contains a line break or a character that HTTP does not allow there'],
  ['x-odd', '“a”', 'its value contains a line break or a character that HTTP does not allow there'],
])('of %j, %j is %s', (name, value, fault) => {
  expect(headerFault(name, value)).toBe(fault);
  // `fetch` takes the same ones.
  expect(isTaken(name, value)).toBe(fault === undefined);
});

function isTaken(name: string, value: string): boolean {
  try {
    return new Headers({ [name]: value }).has(name);
  } catch {
    return false;
  }
}
