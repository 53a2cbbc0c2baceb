import { expect, it } from 'vitest';

import { nearestLines } from './nearest-lines.ts';

it('the place with most of the lines is shown, whatever their indentation', () => {
  const text = 'one();\ntwo();\n\n  one();\n  two();\n  three();\n';
  expect(nearestLines(text, 'one();\n\ttwo();\n\tthree();')).toBe('4:   one();\n5:   two();\n6:   three();');
  expect(nearestLines(text, 'zero();\none();')).toBe('1: one();\n2: two();');
});

it('lines that say little, or are everywhere, show no place', () => {
  expect(nearestLines('}\n\n)', '}\n\n)')).toBeUndefined();
  expect(nearestLines('one();', 'two();')).toBeUndefined();
  expect(nearestLines('same\n'.repeat(100), 'same')).toBe('1: same');
  expect(nearestLines('same\n'.repeat(101), 'same')).toBeUndefined();
});

it('ten lines of 160 characters are shown', () => {
  const text = Array.from({ length: 12 }, (_, index) => `line ${index}  `).join('\n');
  expect(nearestLines(text, text)?.split('\n')).toEqual(
    Array.from({ length: 10 }, (_, index) => `${index + 1}: line ${index}`),
  );
  const long = 'x'.repeat(161);
  expect(nearestLines(long, long)).toBe(`1: ${'x'.repeat(160)}`);
});
