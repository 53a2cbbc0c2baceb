import { expect, it } from 'vitest';

import { parseArguments } from './parse-arguments.ts';

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

it.each([
  ['', {}],
  [' \n', {}],
  ['{"a":1}', { a: 1 }],
  ['null', null],
  ['[-0.5e3]', [-500]],
  ['{"a":', undefined],
  ['{"a":1e999}', undefined],
  ['[[-1e999]]', undefined],
  ['1e999', undefined],
])('%j becomes %j', (text, value) => {
  expect(parseArguments(text)).toEqual(value);
});

it('values are frozen, and as deep as a message can hold them', () => {
  const value = parseArguments(nested(150));
  expect(JSON.stringify(value)).toBe(nested(150));
  expect(Object.isFrozen(value)).toBe(true);
  for (const levels of [200, 100_000]) expect(parseArguments(nested(levels))).toBeUndefined();
});
